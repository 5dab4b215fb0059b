import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "./Api.ts"
import examples from "./examples.json" with { type: "json" }
import type { Operation, Paths } from "./platform/openapi.ts"

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

/** Adds the example of an operation where the request and the answer are described. */
const showExample = (operation: Operation) => {
  const example = exampleOf[operation.operationId]
  if (example === undefined) return
  const { body, headers, params, query } = example.request ?? {}
  const named = { path: params, query, header: headers }
  for (const parameter of operation.parameters) {
    const value = named[parameter.in as keyof typeof named]?.[parameter.name]
    if (value !== undefined) parameter.example = value
  }
  const json = operation.requestBody?.content["application/json"]
  if (json !== undefined && body !== undefined) json.example = body
  const answer = operation.responses[example.status]?.content?.["application/json"]
  if (answer !== undefined) answer.example = example.response
}

const describe = Context.getUnsafe(Api.annotations, OpenApi.Transform)

/** The contract with the recorded example of each operation. Only its document shows them, so clients load {@link Api}. */
export const DocumentedApi = Api.annotate(OpenApi.Transform, (document) => {
  const described = describe(document)
  const paths = structuredClone(described["paths"]) as Paths
  for (const operations of Object.values(paths)) Object.values(operations).forEach(showExample)
  return { ...described, paths }
})
