import { Effect, Schema } from "effect"
import { HttpApi, HttpApiSchema } from "effect/http-api"
import { Api } from "../../schemas/Api.ts"
import { JsonFamily, ProblemFamily } from "../../schemas/platform/errors/families.ts"

/** An operation of the contract. */
export interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly family: "problem" | "json"
  readonly matches: RegExp
  readonly responses: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
}

const segments = (path: string) => path.split("/").filter((it) => it.startsWith(":")).length

const pattern = (path: string) =>
  new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/:[A-Za-z]+/g, "[^/]+")}$`)

const collect = () => {
  const all: Array<Operation> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, errors, group, middleware, successes }) => {
      const keys = new Set([...middleware].map((it) => it.key))
      const isProblem = keys.has(ProblemFamily.key)
      if (!isProblem && !keys.has(JsonFamily.key)) throw new Error(`${endpoint.path} has no error family`)
      all.push({
        name: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: endpoint.path,
        family: isProblem ? "problem" : "json",
        matches: pattern(endpoint.path),
        responses: new Map([...successes, ...errors])
      })
    }
  })
  // As in the router, a fixed segment precedes a parameter.
  return all.toSorted((a, b) => segments(a.path) - segments(b.path))
}

/** Every operation of the contract. */
export const operations: ReadonlyArray<Operation> = collect()

export const operationOf = (method: string, path: string): Operation | undefined => {
  const sought = method === "HEAD" ? "GET" : method
  return operations.find((it) => it.method === sought && it.matches.test(path))
}

const decoders = new WeakMap<ReadonlyArray<Schema.Top>, ReturnType<typeof makeDecoder>>()

const makeDecoder = (schemas: ReadonlyArray<Schema.Top>) => {
  const bodies = schemas.map((it) => (HttpApiSchema.isWithHeaders(it) ? it.schema : it))
  const schema = Schema.Union(bodies) as unknown as Schema.Codec<unknown>
  return Schema.decodeUnknownEffect(schema, { onExcessProperty: "error", errors: "all" })
}

/** Returns the decoder of these responses, which is compiled once. */
const decoderOf = (schemas: ReadonlyArray<Schema.Top>) => {
  const decoder = decoders.get(schemas) ?? makeDecoder(schemas)
  decoders.set(schemas, decoder)
  return decoder
}

/** Dies unless the contract declares this response of the operation, member by member. */
export const checkAgainstContract = (
  operation: Operation,
  status: number,
  body: unknown
): Effect.Effect<void> => {
  if (status === 304 || status === 308 || status === 204 || status === 405) return Effect.void
  const schemas = operation.responses.get(status)
  if (schemas === undefined)
    return Effect.die(new Error(`${operation.name} answered ${status}, which it does not declare`))
  return decoderOf(schemas)(body).pipe(
    Effect.mapError(
      (error) => new Error(`${operation.name} ${status}: ${error.message}\n${JSON.stringify(body)}`)
    ),
    Effect.orDie,
    Effect.asVoid
  )
}
