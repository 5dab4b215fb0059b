import { readFileSync } from "node:fs"
import addFormats from "ajv-formats"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import { inlined } from "./inlined.ts"

// The contract as a stranger has it: the document that is checked in, and a validator that knows nothing of ours.
// Shared parts stand in their places, so that each has its own pointer.

interface Header {
  readonly required?: boolean
}

interface DocumentedOperation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: "path" | "query" | "header"
    readonly required: boolean
    readonly description?: string
    readonly example?: unknown
  }>
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>
  }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<Record<string, { readonly example?: unknown }>>
        readonly headers: Readonly<Record<string, Header>>
      }
    >
  >
}

/** An operation of the document and where it stands there. */
export interface Operation extends DocumentedOperation {
  readonly method: string
  readonly path: string
}

const document = inlined(
  JSON.parse(readFileSync(new URL("../../schemas/openapi.json", import.meta.url), "utf8")) as {
    readonly components: object
    readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  }
)

/** Every operation of the document. */
export const operations: ReadonlyArray<Operation> = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => Object.assign(operation, { method, path }))
)

const ACCOUNT_GROUPS = new Set([
  "Sessions",
  "Registrations",
  "Publishing keys",
  "Me",
  "Payout address",
  "Account e-mail"
])

/** The operations of spec 4.1, those of wallet login and the key set. */
export const accountOperations = operations.filter(({ tags }) => tags.some((tag) => ACCOUNT_GROUPS.has(tag)))

const ajv = new Ajv2020({ strict: true, allErrors: true })
addFormats.default(ajv)
// Keywords of schemas must be known; the members of the document itself are known by this.
ajv.addVocabulary(Object.keys(document))
ajv.addSchema(document, "openapi.json")

const pointer = (...keys: ReadonlyArray<string>) =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

const compiled = new Map<string, ValidateFunction>()

/** Everything that is wrong with a value under the schema at this place of the document. */
const errorsAt = (place: string, value: unknown): ReadonlyArray<string> => {
  const validate = compiled.get(place) ?? ajv.compile({ $ref: `openapi.json#${place}` })
  compiled.set(place, validate)
  if (validate(value)) return []
  return (validate.errors ?? []).map(
    (it) => `${place}${it.instancePath} ${it.message} ${JSON.stringify(it.params)}`
  )
}

/** The document allows this value at this place of an operation: its JSON body, or a parameter by its name. */
export const allows = (
  operation: Operation,
  where: "body" | "query" | "header",
  name: string,
  value: unknown
): boolean => {
  if (where === "body") {
    const place = `${placeOf(operation)}${pointer("requestBody", "content", "application/json", "schema")}`
    return errorsAt(place, value).length === 0
  }
  const index = operation.parameters.findIndex(
    (it) => it.in === where && it.name.toLowerCase() === name.toLowerCase()
  )
  return errorsAt(`${placeOf(operation)}/parameters/${index}/schema`, value).length === 0
}

const placeOf = ({ method, path }: Operation) => pointer("paths", path, method)

/** A request as its sender wrote it. */
export interface WrittenRequest {
  readonly params: Readonly<Record<string, string>>
  /** Those that are the operation's, by names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly token: string | undefined
}

/** Everything in which a request is not what the document asks for. */
export const requestErrors = (operation: Operation, request: WrittenRequest): ReadonlyArray<string> => {
  const errors: Array<string> = []
  const isPublic = operation.security.every((it) => Object.keys(it).length === 0)
  if (isPublic !== (request.token === undefined)) errors.push("security: the credential")
  operation.parameters.forEach(({ in: where, name, required }, index) => {
    const value = where === "path" ? request.params[name] : request.headers[name.toLowerCase()]
    if (value === undefined) {
      if (required) errors.push(`${where} ${name} is missing`)
      return
    }
    errors.push(...errorsAt(`${placeOf(operation)}/parameters/${index}/schema`, value))
  })
  const known = new Set(
    operation.parameters.map((it) => (it.in === "header" ? it.name.toLowerCase() : it.name))
  )
  for (const name of [...Object.keys(request.params), ...Object.keys(request.headers)])
    if (!known.has(name)) errors.push(`${name} is not documented`)
  if (operation.requestBody === undefined) {
    if (request.body !== undefined) errors.push("the body is not documented")
  } else if (request.body !== undefined || operation.requestBody.required) {
    const place = `${placeOf(operation)}${pointer("requestBody", "content", "application/json", "schema")}`
    errors.push(...errorsAt(place, request.body))
  }
  return errors
}

/** Integers are digits on the wire. */
const asDocumented = (value: string) => (/^\d+$/.test(value) ? Number(value) : value)

/** Everything in which an answer is not one of those that the document has: its status, type, headers and body. */
export const answerErrors = (
  operation: Operation,
  answer: { readonly status: number; readonly headers: Headers; readonly text: string }
): ReadonlyArray<string> => {
  const status = String(answer.status)
  const documented = operation.responses[status]
  if (documented === undefined) return [`${status} is not documented`]
  const response = `${placeOf(operation)}${pointer("responses", status)}`
  const errors: Array<string> = []
  for (const [name, header] of Object.entries(documented.headers)) {
    const value = answer.headers.get(name)
    if (value === null) {
      if (header.required !== false) errors.push(`the header ${name} is missing`)
      continue
    }
    const place = `${response}${pointer("headers", name)}`
    const said = [value, asDocumented(value)].map((it) => errorsAt(`${place}/schema`, it))
    if (said.every((it) => it.length > 0)) errors.push(...said.flat())
  }
  const mediaType = (answer.headers.get("content-type") ?? "").split(";")[0] ?? ""
  if (documented.content?.[mediaType] === undefined) return [...errors, `${mediaType} is not documented`]
  const place = `${response}${pointer("content", mediaType, "schema")}`
  return [...errors, ...errorsAt(place, JSON.parse(answer.text))]
}

/** Returns everything in which the examples of an operation are missing or not as its schemas say. */
export const exampleErrors = (operation: Operation): ReadonlyArray<string> => {
  const errors: Array<string> = []
  operation.parameters.forEach(({ example, name, required }, index) => {
    if (example === undefined) {
      if (required) errors.push(`${name} has no example`)
      return
    }
    errors.push(...errorsAt(`${placeOf(operation)}/parameters/${index}/schema`, example))
  })
  const body = operation.requestBody?.content["application/json"]
  if (body?.example !== undefined) {
    const place = `${placeOf(operation)}${pointer("requestBody", "content", "application/json", "schema")}`
    errors.push(...errorsAt(place, body.example))
  } else if (operation.requestBody?.required === true && body !== undefined) {
    errors.push("the body has no example")
  }
  const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"))
  const shown = successes.filter(([, it]) => it.content?.["application/json"]?.example !== undefined)
  if (shown.length === 0 && successes.some(([, it]) => it.content?.["application/json"] !== undefined))
    errors.push("no answer has an example")
  for (const [status, it] of shown) {
    const place = `${placeOf(operation)}${pointer("responses", status, "content", "application/json", "schema")}`
    errors.push(...errorsAt(place, it.content?.["application/json"]?.example))
  }
  return errors
}
