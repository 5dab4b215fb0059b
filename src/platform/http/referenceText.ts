import type { Operation } from "../../../schemas/platform/openapi.ts"
import { type Document, operationsOf } from "../../../schemas/platform/openapiTags.ts"
import { type JsonSchema, nameOfRef, schemaText } from "./schemaText.ts"

type Responses = Operation["responses"]
type Parameters = Operation["parameters"]

/** Returns the component that stands at a reference, or the value itself. */
const resolving =
  ({ components }: Document) =>
  <A extends object>(value: A): A => {
    const { $ref } = value as { readonly $ref?: string }
    const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec($ref ?? "") ?? []
    return (components[kind]?.[name] as A | undefined) ?? value
  }

type Resolve = ReturnType<typeof resolving>

const parameterLines = (parameters: Parameters, resolve: Resolve) =>
  parameters.map((it) => {
    const { description, in: place, name, required, schema } = resolve(it)
    const absent = (schema as JsonSchema).default
    const bounds = `${place}, ${required ? "required" : "optional"}${absent === undefined ? "" : `, ${JSON.stringify(absent)} without it`}`
    return `- \`${name}\` (${bounds}): \`${schemaText(schema)}\`. ${description ?? ""}`
  })

/** Returns a schema of the document by its members. The document types it as any object. */
const schemaOf = (schema: object): JsonSchema => schema

/** Returns the lines of an example; none without one. */
const exampleLines = (example: unknown) =>
  example === undefined ? [] : ["```json", JSON.stringify(example), "```"]

const bodyLines = ({ requestBody }: Operation) => {
  if (requestBody === undefined) return []
  const optional = requestBody.required ? "" : ", optional"
  return Object.entries(requestBody.content).flatMap(([type, { example, schema }]) =>
    ["", `Body (${type}${optional}): \`${schemaText(schemaOf(schema))}\``].concat(exampleLines(example))
  )
}

/** The name by which programs know an error: the end of its type, or its code. */
const errorName = (schema: JsonSchema) => {
  const { data, type } = (schema.properties ?? {}) as {
    readonly type?: { readonly pattern?: string }
    readonly data?: JsonSchema
  }
  const slug = /\/problems\\?\/([a-z0-9-]+)\$$/.exec(type?.pattern ?? "")?.[1]
  return slug ?? data?.properties?.["code"]?.enum?.map(String).join(", ")
}

const alternativesOf = (schema: JsonSchema) => schema.anyOf ?? [schema]

/** Returns the errors that an answer may have, by the names that programs know. */
const errorsOf = (response: Responses[string], resolve: Resolve): ReadonlyArray<JsonSchema> =>
  Object.values(response.content ?? {}).flatMap(({ schema }) =>
    alternativesOf(schema).flatMap((it) => {
      const error = resolve(it)
      return errorName(error) === undefined ? [] : [error]
    })
  )

/** Headers of every answer, or of every answer of a kind. */
const USUAL = /^(RateLimit.*|X-Request-Id|Vary|Cache-Control)$/

const successLines = (
  status: string,
  { content = {}, description = "", headers = {} }: Responses[string]
) => {
  const types = Object.entries(content).map(([type, { schema }]) => `${type} \`${schemaText(schema)}\``)
  const named = Object.keys(headers).filter((name) => !USUAL.test(name))
  const body = types.length === 0 ? description : types.join(" or ")
  const line = `${status}: ${body}${named.length === 0 ? "" : `; headers ${named.join(", ")}`}`
  const example = Object.values(content).find((it) => it.example !== undefined)?.example
  return ["", line].concat(exampleLines(example))
}

const answerLines = ({ responses }: Operation, resolve: Resolve) => {
  const all = Object.entries(responses).map(([status, it]) => [status, resolve(it)] as const)
  const successes = all
    .filter(([status]) => status < "400")
    .flatMap(([status, it]) => successLines(status, it))
  const errors = all
    .filter(([status]) => status >= "400")
    .map(([status, it]) => [status, errorsOf(it, resolve).map(errorName)] as const)
    .filter(([, names]) => names.length > 0)
    .map(([status, names]) => `${status} ${names.map((name) => `\`${name}\``).join(", ")}`)
  return [...successes, "", `Errors: ${errors.join("; ")}.`]
}

const credentialOf = ({ security }: Operation) => {
  const names = security.map((it) => Object.keys(it).join(" and "))
  if (names.length === 0) return "no credential"
  return names.map((name) => (name === "" ? "no credential" : `\`${name}\``)).join(" or ")
}

type Placed = ReturnType<typeof operationsOf>[number]

const operationLines = ({ method, operation, path }: Placed, resolve: Resolve) => [
  "",
  `## ${operation.summary ?? operation.operationId}`,
  "",
  `\`${method.toUpperCase()} ${path}\` (\`${operation.operationId}\`, ${credentialOf(operation)})`,
  "",
  operation.description ?? "",
  ...(operation.parameters.length === 0 ? [] : ["", ...parameterLines(operation.parameters, resolve)]),
  ...bodyLines(operation),
  ...answerLines(operation, resolve)
]

/** Names of schemas to which a value refers, also through others. */
const schemasUsed = (value: unknown, schemas: Readonly<Record<string, object>>, used = new Set<string>()) => {
  if (typeof value !== "object" || value === null) return used
  for (const [key, it] of Object.entries(value)) {
    const name = key === "$ref" && typeof it === "string" ? nameOfRef(it) : ""
    const schema = schemas[name]
    if (schema !== undefined && !used.has(name)) schemasUsed(schema, schemas, used.add(name))
    schemasUsed(it, schemas, used)
  }
  return used
}

/** Returns the document of a tag as Markdown, with all that a program needs to call its operations. */
export const referenceText = (document: Document): string => {
  const resolve = resolving(document)
  const { description = "", title = "" } = document.info as {
    readonly [key in "description" | "title"]?: string
  }
  const all = operationsOf(document)
  const errors = new Map(
    all.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap((it) =>
        errorsOf(resolve(it), resolve).map(
          (error) => [errorName(error) ?? "", error.description ?? ""] as const
        )
      )
    )
  )
  const schemas = document.components["schemas"] ?? {}
  const bodies = all.flatMap(({ operation: { parameters, requestBody, responses } }) => [
    parameters.map(resolve),
    requestBody,
    ...Object.entries(responses)
      .filter(([status]) => status < "400" || status === "402")
      .map(([, it]) => resolve(it).content)
  ])
  const schemes = Object.entries(document.components["securitySchemes"] ?? {}).map(
    ([name, it]) =>
      `- \`${name}\`: \`Authorization: Bearer …\`. ${(it as { readonly description?: string }).description ?? ""}`
  )
  return [
    `# ${title}`,
    "",
    description,
    ...(schemes.length === 0 ? [] : ["", "## Credentials", "", ...schemes]),
    ...all.flatMap((it) => operationLines(it, resolve)),
    "",
    "## Schemas",
    "",
    ...[...schemasUsed(bodies, schemas)].map((name) => {
      const schema: JsonSchema = schemas[name] ?? {}
      return `- \`${name}\`: \`${schemaText(schema)}\`${schema.description === undefined ? "" : `. ${schema.description}`}`
    }),
    "",
    "## Errors",
    "",
    "A problem (`application/problem+json`) has its name at the end of `type`, any other error in `data.code`. `detail` or `message` is a sentence, and `errors` names wrong members.",
    "",
    ...[...errors].map(([name, sentence]) => `- \`${name}\`: ${sentence}`),
    ""
  ].join("\n")
}
