import type { Operation } from "../../../schemas/platform/openapi.ts"
import { ABOUT_ERRORS } from "../../../schemas/platform/openapiErrors.ts"
import { type Document, operationsOf } from "../../../schemas/platform/openapiTags.ts"
import {
  answersOf,
  errorName,
  errorsOf,
  type Placed,
  type Resolve,
  resolving,
  type Responses
} from "./operationParts.ts"
import { type JsonSchema, nameOfRef, schemaOf, schemaText } from "./schemaText.ts"

type Parameters = Operation["parameters"]

const parameterLines = (parameters: Parameters, resolve: Resolve) =>
  parameters.map((it) => {
    const { description, in: place, name, required, schema } = resolve(it)
    const absent = (schema as JsonSchema).default
    const bounds = `${place}, ${required ? "required" : "optional"}${absent === undefined ? "" : `, ${JSON.stringify(absent)} without it`}`
    return `- \`${name}\` (${bounds}): \`${schemaText(schema)}\`. ${description ?? ""}`
  })

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
  const { errors, successes } = answersOf(responses, resolve)
  const named = errors.map(
    ({ kinds, status }) => `${status} ${kinds.map((it) => `\`${errorName(it)}\``).join(", ")}`
  )
  return [
    ...successes.flatMap(({ response, status }) => successLines(status, response)),
    "",
    `Errors: ${named.join("; ")}.`
  ]
}

const credentialOf = ({ security }: Operation) => {
  const names = security.map((it) => Object.keys(it).join(" and "))
  if (names.length === 0) return "no credential"
  return names.map((name) => (name === "" ? "no credential" : `\`${name}\``)).join(" or ")
}

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
    ABOUT_ERRORS,
    "",
    ...[...errors].map(([name, sentence]) => `- \`${name}\`: ${sentence}`),
    ""
  ].join("\n")
}
