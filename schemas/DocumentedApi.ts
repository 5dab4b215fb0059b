import { Context, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import { webhooksDocument } from "./engagement/events/webhooksDocument.ts"
import examples from "./examples.json" with { type: "json" }
import { RawSum } from "./payments/finance/amounts.ts"
import { pagination } from "./platform/Cursor.ts"
import { PostId } from "./platform/Ids.ts"
import { NanoAddress, RawDigits } from "./platform/Nano.ts"
import type { Operation, Paths } from "./platform/openapi.ts"
import { type Shareable, withSharedParts } from "./platform/openapiComponents.ts"
import { plainSchema, replacing } from "./platform/openapiSchemas.ts"
import { Timestamp } from "./platform/Timestamp.ts"

/** One request and its answer. Ids and secrets are made up, and an array shows its first element. */
export interface Example {
  readonly request?: {
    readonly params?: Readonly<Record<string, unknown>>
    readonly query?: Readonly<Record<string, unknown>>
    readonly headers?: Readonly<Record<string, unknown>>
    readonly body?: unknown
  }
  readonly status: number
  readonly response?: unknown
}

const exampleOf: Readonly<Record<string, Example>> = examples

/** Remembers the first value of each key, so that equal parts of the document have equal examples. */
const firstOfEach = () => {
  const known = new Map<string, unknown>()
  return (key: object, value: unknown) => {
    const text = JSON.stringify(key)
    if (!known.has(text)) known.set(text, value)
    return known.get(text)
  }
}

/** Makes the function that adds the example of an operation where its request and its answer are described. */
const showingExamples = () => {
  const firstParameter = firstOfEach()
  const firstAnswer = firstOfEach()
  return (operation: Operation) => {
    const example = exampleOf[operation.operationId]
    if (example === undefined) return
    const { body, headers, params, query } = example.request ?? {}
    const named = { path: params, query, header: headers }
    for (const parameter of operation.parameters) {
      const value = named[parameter.in as keyof typeof named]?.[parameter.name]
      if (value !== undefined) parameter.example = firstParameter({ ...parameter }, value)
    }
    const json = operation.requestBody?.content["application/json"]
    if (json !== undefined && body !== undefined) json.example = body
    const answer = operation.responses[example.status]?.content?.["application/json"]
    if (answer !== undefined) answer.example = firstAnswer(answer.schema, example.response)
  }
}

/** Schemas that many others repeat, by the names of their components. */
const Repeated = Schema.Struct({
  Uuid: PostId,
  Timestamp,
  NanoAddress,
  RawAmount: RawDigits,
  RawSum,
  Pagination: pagination
})

/** Returns the repeated schemas as the document spells them: it is generated for an operation that has them all. */
const repeatedSchemas = () => {
  const endpoint = HttpApiEndpoint.get("all", "/", { success: Repeated })
  const { paths } = OpenApi.fromApi(HttpApi.make("repeated").add(HttpApiGroup.make("all").add(endpoint)))
  const schema = paths["/"]?.get?.responses[200]?.content?.["application/json"]?.schema
  const { properties } = replacing(schema, plainSchema) as {
    readonly properties: Readonly<Record<string, object>>
  }
  return properties
}

const describe = Context.getUnsafe(Api.annotations, OpenApi.Transform)

/**
 * The contract as programs and people read it: with the recorded example of each operation, and with its repeated parts
 * in components. Only its document has these, so clients load {@link Api}.
 */
export const DocumentedApi = Api.annotate(OpenApi.Transform, (document) => {
  const described = describe(document) as unknown as Shareable
  const showExample = showingExamples()
  for (const operations of Object.values(described.paths)) Object.values(operations).forEach(showExample)
  const { schemas, webhooks } = webhooksDocument()
  const components = { ...described.components, schemas: { ...schemas, ...described.components.schemas } }
  return withSharedParts(
    { ...described, webhooks: webhooks as unknown as Paths, components },
    repeatedSchemas()
  )
})
