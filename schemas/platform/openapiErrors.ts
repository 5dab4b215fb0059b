import { jsonErrors, type JsonErrorKind } from "./errors/jsonErrors.ts"
import { problems, type ProblemKind } from "./errors/problems.ts"

/** Says where an error has its name. */
export const ABOUT_ERRORS =
  "A problem (`application/problem+json`) has its name at the end of `type`, any other error in `data.code`. `detail` or `message` is a sentence, and `errors` names wrong members."

/** The members by which an error is recognized. */
interface ErrorSchema {
  readonly properties?: {
    readonly type?: { readonly pattern?: string }
    readonly statusCode?: { readonly enum?: ReadonlyArray<number> }
    readonly data?: { readonly properties?: { readonly code?: { readonly enum?: ReadonlyArray<string> } } }
  }
}

const kinds: Readonly<Record<string, ProblemKind>> = problems

const problemSentence = ({ properties }: ErrorSchema) => {
  const kind = kinds[/\/problems\\?\/([a-z0-9-]+)\$$/.exec(properties?.type?.pattern ?? "")?.[1] ?? ""]
  return kind === undefined ? undefined : `${kind.title}. ${kind.meaning} ${kind.remedy}`
}

const jsonSentence = ({ properties }: ErrorSchema) => {
  const codes = properties?.data?.properties?.code?.enum ?? []
  const statuses = properties?.statusCode?.enum ?? []
  const isThis = ([name, { code = name, status }]: [string, JsonErrorKind]) =>
    codes.length === 1 && codes[0] === code && statuses[0] === status
  return Object.entries<JsonErrorKind>(jsonErrors).find(isThis)?.[1].message
}

/** Returns the sentence about an error, for its component; undefined for the schema of anything else. */
export const errorSentence = (schema: ErrorSchema): string | undefined =>
  problemSentence(schema) ?? jsonSentence(schema)
