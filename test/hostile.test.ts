import { assert, layer } from "@effect/vitest"
import { Effect, SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import * as fc from "fast-check"
import { Api } from "../schemas/Api.ts"
import { routerConfig } from "../src/platform/http/exactPaths.ts"
import * as hostile from "./platform/http/hostile.ts"
import { RawClient, rawClient, type RawAnswer } from "./platform/http/RawClient.ts"
import { completePost, publisher } from "./support/actors/owner.ts"
import { checkAgainstContract, type Operation, operationOf, operations } from "./support/contract.ts"
import { database } from "./support/Database.ts"
import { soak } from "./support/soak.ts"
import { BASE_URL, TestClient } from "./support/TestClient.ts"

/** Requests per operation, each sent four times: without a credential, with garbage, by an owner and with a key. */
const RUNS_PER_OPERATION = soak(4, 30)

/** Returns every name of a member in a schema, at any depth. */
const namesIn = (ast: SchemaAST.AST, seen = new Set<SchemaAST.AST>()): ReadonlyArray<string> => {
  if (seen.has(ast)) return []
  seen.add(ast)
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((it) => namesIn(it, seen))
  if (SchemaAST.isArrays(ast)) return [...ast.elements, ...ast.rest].flatMap((it) => namesIn(it, seen))
  if (!SchemaAST.isObjects(ast)) return []
  return ast.propertySignatures.flatMap(({ name, type }) => [String(name), ...namesIn(type, seen)])
}

const namesByOperation = new Map<string, ReadonlyArray<string>>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    const schemas = [...endpoint.payload.values()].flatMap((it) => it.schemas)
    const names = schemas.flatMap((it) => namesIn(SchemaAST.toEncoded(it.ast)))
    namesByOperation.set(`${group.identifier}.${endpoint.identifier}`, [...new Set(names)])
  }
})

const isRoutable = (segment: string) => {
  try {
    return decodeURIComponent(segment).length <= routerConfig.maxParamLength
  } catch {
    return false
  }
}

const familyOf = ({ body, headers }: RawAnswer) => {
  const isProblem =
    headers.get("content-type") === "application/problem+json" &&
    typeof body?.type === "string" &&
    body.type.startsWith(`${BASE_URL}/problems/`) &&
    typeof body.title === "string" &&
    typeof body.status === "number" &&
    typeof body.detail === "string"
  const isJson =
    headers.get("content-type") === "application/json" &&
    typeof body?.statusCode === "number" &&
    typeof body.statusMessage === "string" &&
    typeof body.message === "string" &&
    typeof body.data?.code === "string"
  return isProblem ? "problem" : isJson ? "json" : "neither"
}

/** Checks an answer against the rules that hold for any request. */
const checkAnswer = Effect.fnUntraced(function* (method: string, path: string, answer: RawAnswer) {
  const told = `${method} ${path} ${answer.status} ${answer.text.slice(0, 500)}`
  assert.isBelow(answer.status, 500, told)
  assert.match(answer.headers.get("x-request-id") ?? "", /^[\x21-\x7e]{1,128}$/, told)
  const { pathname } = new URL(`${BASE_URL}${path}`)
  const operation = operationOf(method, pathname.replaceAll(/\/(?=\/|$)/g, "/-"))
  if (operation === undefined || /;|\/\/|\/$/.test(pathname) || !pathname.split("/").every(isRoutable)) {
    assert.include([404, 405], answer.status, told)
    if (answer.status === 404) assert.strictEqual(familyOf(answer), operation?.family ?? "problem", told)
    return
  }
  // The one answer of its operation that is ordinary JSON among problems (spec 4.3.9).
  const family = answer.body?.data?.code === "malformed_revision" ? "json" : operation.family
  if (answer.status >= 400) assert.strictEqual(familyOf(answer), family, told)
  const text = answer.text === "" ? undefined : answer.text
  const isBytes = answer.headers.get("content-type") === "application/zip"
  yield* checkAgainstContract(operation, answer.status, answer.body ?? (isBytes ? answer.bytes : text))
})

interface Hostility {
  readonly segments: ReadonlyArray<string>
  readonly query: string
  readonly headers: Record<string, string>
  readonly garbage: string
  readonly body: hostile.HostileBody | undefined
}

const hostilityTo = (operation: Operation, known: ReadonlyArray<string>): fc.Arbitrary<Hostility> => {
  const names = namesByOperation.get(operation.name) ?? []
  const parameters = operation.path.split("/").filter((it) => it.startsWith(":")).length
  const segment = fc.oneof(fc.constantFrom(...known), hostile.segment)
  return fc.record({
    segments: fc.array(segment, { minLength: parameters, maxLength: parameters }),
    query: hostile.query,
    headers: hostile.headers as fc.Arbitrary<Record<string, string>>,
    garbage: hostile.authorization,
    body:
      operation.method === "GET" ? fc.constant(undefined) : fc.option(hostile.body(names), { nil: undefined })
  })
}

const pathOf = (operation: Operation, { query, segments }: Hostility) => {
  const left = [...segments]
  const path = operation.path.replaceAll(/:[A-Za-z]+/g, () => left.shift() ?? "")
  return query === "" ? path : `${path}?${query}`
}

layer(rawClient(database("test_hostile")))("hostile requests", (it) => {
  for (const operation of operations) {
    it.effect(`Any ${operation.method} ${operation.path} is answered in its family, and never with 500`, () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const raw = yield* RawClient
        const owner = yield* publisher(operations.indexOf(operation) + 1)
        const post = yield* client.send("POST", "/api/v1/posts", { token: owner.key, body: completePost })

        const attack = Effect.fnUntraced(function* (hostility: Hostility) {
          const path = pathOf(operation, hostility)
          const sessions = [
            undefined,
            hostility.garbage,
            `Bearer ${owner.accessToken}`,
            `Bearer ${owner.key}`
          ]
          for (const authorization of sessions) {
            const headers =
              authorization === undefined ? hostility.headers : { ...hostility.headers, authorization }
            const { body } = hostility
            const request = body === undefined ? { headers } : { headers, body }
            yield* checkAnswer(operation.method, path, yield* raw.send(operation.method, path, request))
          }
        })

        const context = yield* Effect.context<never>()
        const known = [post.body.id as string, owner.handle]
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(hostilityTo(operation, known), (it) =>
              Effect.runPromiseWith(context)(attack(it))
            ),
            { numRuns: RUNS_PER_OPERATION }
          )
        )
      })
    )
  }

  it.effect("Any method of any path of the contract is answered in the family of the path", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const context = yield* Effect.context<never>()
      const request = fc.record({
        operation: fc.constantFrom(...operations),
        method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "PROPFIND"),
        segments: fc.array(hostile.segment, { minLength: 3, maxLength: 3 }),
        headers: hostile.headers as fc.Arbitrary<Record<string, string>>
      })
      const ask = Effect.fnUntraced(function* ({
        headers,
        method,
        operation,
        segments
      }: typeof request extends fc.Arbitrary<infer R> ? R : never) {
        const path = pathOf(operation, { segments, query: "", headers, garbage: "", body: undefined })
        const { pathname } = new URL(`${BASE_URL}${path}`)
        const meant = operations.find((it) => it.matches.test(pathname.replaceAll(/\/(?=\/|$)/g, "/-")))
        const answer = yield* raw.send(method, path, { headers })
        if (![404, 405].includes(answer.status) || method === "HEAD" || meant === undefined) return
        assert.strictEqual(familyOf(answer), meant.family, `${method} ${path} ${answer.text.slice(0, 200)}`)
      })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(request, (it) => Effect.runPromiseWith(context)(ask(it))),
          { numRuns: soak(500, 20_000) }
        )
      )
    })
  )

  it.effect("Any path outside of the contract is answered with 200, 304, 308 or 404", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const context = yield* Effect.context<never>()
      const page = fc.tuple(hostile.segment, hostile.segment).map(([handle, slug]) => `/@${handle}/${slug}`)
      const problem = hostile.segment.map((slug) => `/problems/${slug}`)
      const request = fc.tuple(fc.oneof(page, problem), hostile.headers, hostile.query)
      const ask = Effect.fnUntraced(function* (path: string, headers: Record<string, string>, query: string) {
        const answer = yield* raw.send("GET", `${path}?${query}`, { headers })
        // `If-None-Match: *` knows any page. A final slash leads to the page without it.
        const known = "if-none-match" in headers ? [304] : []
        const exact = new URL(path, BASE_URL).pathname.endsWith("/") ? [308] : []
        assert.include([200, 404, ...known, ...exact], answer.status, path)
        assert.match(answer.headers.get("x-request-id") ?? "", /^[\x21-\x7e]{1,128}$/)
      })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(request, ([path, headers, query]) =>
            Effect.runPromiseWith(context)(ask(path, headers as Record<string, string>, query))
          ),
          { numRuns: soak(100, 500) }
        )
      )
    })
  )

  it.effect("A path that no route matches is the problem not-found", () =>
    Effect.gen(function* () {
      const raw = yield* RawClient
      const context = yield* Effect.context<never>()
      const path = fc
        .array(hostile.segment, { minLength: 1, maxLength: 5 })
        .map((it) => `/nowhere/${it.join("/")}`)
      const ask = Effect.fnUntraced(function* (path: string) {
        if (!new URL(`${BASE_URL}${path}`).pathname.startsWith("/nowhere")) return
        const answer = yield* raw.send("GET", path)
        assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.body.type, `${BASE_URL}/problems/not-found`)
      })
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(path, (it) => Effect.runPromiseWith(context)(ask(it))),
          { numRuns: soak(100, 500) }
        )
      )
    })
  )
})
