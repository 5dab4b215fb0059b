import type { Operation } from "../../../schemas/platform/openapi.ts"
import type { Document, operationsOf } from "../../../schemas/platform/openapiTags.ts"
import type { JsonSchema } from "./schemaText.ts"

export type Responses = Operation["responses"]

/** An operation with its method and path. */
export type Placed = ReturnType<typeof operationsOf>[number]

/** Makes the function that returns the component that stands at a reference, or the value itself. */
export const resolving =
  ({ components }: Pick<Document, "components">) =>
  <A extends object>(value: A): A => {
    const { $ref } = value as { readonly $ref?: string }
    const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec($ref ?? "") ?? []
    return (components[kind]?.[name] as A | undefined) ?? value
  }

export type Resolve = ReturnType<typeof resolving>

/** Returns the name by which programs know an error: the end of its type, or its code. */
export const errorName = (schema: JsonSchema): string | undefined => {
  const { data, type } = (schema.properties ?? {}) as {
    readonly type?: { readonly pattern?: string }
    readonly data?: JsonSchema
  }
  const slug = /\/problems\\?\/([a-z0-9-]+)\$$/.exec(type?.pattern ?? "")?.[1]
  return slug ?? data?.properties?.["code"]?.enum?.map(String).join(", ")
}

const alternativesOf = (schema: JsonSchema) => schema.anyOf ?? [schema]

/** Returns the errors that an answer may have, by the names that programs know. */
export const errorsOf = (response: Responses[string], resolve: Resolve): ReadonlyArray<JsonSchema> =>
  Object.values(response.content ?? {}).flatMap(({ schema }) =>
    alternativesOf(schema).flatMap((it) => {
      const error = resolve(it)
      return errorName(error) === undefined ? [] : [error]
    })
  )

/** Returns the answers of an operation by status: its successes, and its errors that have a name. */
export const answersOf = (responses: Responses, resolve: Resolve) => {
  const all = Object.entries(responses).map(([status, it]) => ({ status, response: resolve(it) }))
  return {
    successes: all.filter(({ status }) => status < "400"),
    errors: all
      .filter(({ status }) => status >= "400")
      .map(({ response, status }) => ({ status, response, kinds: errorsOf(response, resolve) }))
      .filter(({ kinds }) => kinds.length > 0)
  }
}
