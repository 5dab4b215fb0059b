import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { FetchHttpClient, HttpRouter, HttpServer } from "effect/http"
import {
  HttpApi,
  HttpApiBuilder,
  HttpApiClient,
  HttpApiEndpoint,
  HttpApiGroup,
  OpenApi
} from "effect/http-api"
import { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { inJson } from "../../../schemas/platform/errors/inJson.ts"
import { inProblems } from "../../../schemas/platform/errors/inProblems.ts"
import { ServiceError } from "../../../schemas/platform/errors/ServiceError.ts"

class NotFound extends ServiceError<NotFound>()("NotFound") {}
class Validation extends ServiceError<Validation>()("Validation", { errors: Schema.Array(FieldError) }) {}
class OwnTipTarget extends ServiceError<OwnTipTarget>()("OwnTipTarget") {}
class RateLimited extends ServiceError<RateLimited>()("RateLimited", { retryAfterSeconds: Schema.Int }) {}
/** Its member has another form on the wire than in memory. */
class Oversized extends ServiceError<Oversized>()("Oversized", { max: Schema.BigIntFromString }) {}

const refusals = {
  unknown: () => new NotFound(),
  explained: () => new NotFound({ detail: "No draft has this id" }),
  invalid: () => new Validation({ errors: [{ field: "title", code: "required", message: "Send a title" }] }),
  limited: () => new RateLimited({ retryAfterSeconds: 7 }),
  oversized: () => new Oversized({ max: 4096n })
}
type Case = keyof typeof refusals
const cases: ReadonlyArray<Case> = ["unknown", "explained", "invalid", "limited", "oversized"]

/** One service of two operations, each of another family, that refuse alike. */
const api = HttpApi.make("two")
  .add(
    HttpApiGroup.make("both").add(
      HttpApiEndpoint.get("asProblem", "/problem/:name", {
        params: { name: Schema.Literals(cases) },
        success: Schema.Void,
        error: [
          inProblems(NotFound, "not-found"),
          inProblems(Validation, "validation"),
          inProblems(RateLimited, "rate-limited"),
          inProblems(Oversized, "payload-too-large")
        ]
      }),
      HttpApiEndpoint.get("asJson", "/json/:name", {
        params: { name: Schema.Literals(cases) },
        success: Schema.Void,
        error: [
          inJson(NotFound, "not_found"),
          inJson(Validation, "validation"),
          inJson(RateLimited, "rate_limited"),
          inJson(Oversized, "payload_too_large")
        ]
      })
    )
    // Answers are encoded as strictly as requests are decoded.
  )
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })

const refuse = ({ params }: { readonly params: { readonly name: Case } }) =>
  Effect.fail(refusals[params.name]())

const routes = HttpApiBuilder.layer(api).pipe(
  Layer.provide(
    HttpApiBuilder.group(api, "both", (handlers) => handlers.handleAll({ asProblem: refuse, asJson: refuse }))
  ),
  Layer.provide(HttpServer.layerServices)
)

const handled = Effect.acquireRelease(
  Effect.sync(() => HttpRouter.toWebHandler(routes, { disableLogger: true })),
  ({ dispose }) => Effect.promise(dispose)
)

const asked = Effect.fnUntraced(function* (path: string) {
  const { handler } = yield* handled
  const answer = yield* Effect.promise(async () => handler(new Request(`http://press.test${path}`)))
  return {
    status: answer.status,
    type: answer.headers.get("content-type"),
    text: yield* Effect.promise(() => answer.text())
  }
})

const problem = (status: number, body: object) => ({
  status,
  type: "application/problem+json",
  text: JSON.stringify(body)
})
const json = (status: number, body: object) => ({
  status,
  type: "application/json",
  text: JSON.stringify(body)
})

const field = { field: "title", code: "required", message: "Send a title" }

describe("the families of an error", () => {
  it.effect("A problem has its detail and the members of its class, in the order of the contract", () =>
    Effect.gen(function* () {
      const notFound = {
        type: "http://localhost:4020/problems/not-found",
        title: "Nothing here for this caller",
        status: 404,
        detail:
          "This path or id leads to nothing that the caller may see. Resources of other owners get the same answer."
      }
      assert.deepStrictEqual(yield* asked("/problem/unknown"), problem(404, notFound))
      assert.deepStrictEqual(
        yield* asked("/problem/explained"),
        problem(404, { ...notFound, detail: "No draft has this id" })
      )
      assert.deepStrictEqual(
        yield* asked("/problem/invalid"),
        problem(422, {
          type: "http://localhost:4020/problems/validation",
          title: "The request is not valid",
          status: 422,
          detail: "title: Send a title",
          errors: [field]
        })
      )
      assert.deepStrictEqual(
        yield* asked("/problem/limited"),
        problem(429, {
          type: "http://localhost:4020/problems/rate-limited",
          title: "Too many requests",
          status: 429,
          detail: "A rate limit is used up; RateLimit-Policy and RateLimit name it.",
          retryAfterSeconds: 7
        })
      )
      assert.strictEqual(JSON.parse((yield* asked("/problem/oversized")).text).max, "4096")
    })
  )

  it.effect("An error of the JSON family has the members of its class in its data, without _tag", () =>
    Effect.gen(function* () {
      const notFound = {
        statusCode: 404,
        statusMessage: "Not Found",
        message: "Nothing here for this caller: check the path and the id",
        data: { code: "not_found" }
      }
      assert.deepStrictEqual(yield* asked("/json/unknown"), json(404, notFound))
      assert.deepStrictEqual(
        yield* asked("/json/explained"),
        json(404, { ...notFound, message: "No draft has this id" })
      )
      assert.deepStrictEqual(
        yield* asked("/json/invalid"),
        json(422, {
          statusCode: 422,
          statusMessage: "Unprocessable Content",
          message: "title: Send a title",
          data: { code: "validation", errors: [field] }
        })
      )
      assert.deepStrictEqual(
        yield* asked("/json/limited"),
        json(429, {
          statusCode: 429,
          statusMessage: "Too Many Requests",
          message: "Too many requests: repeat this one after the seconds in Retry-After",
          data: { code: "rate_limited", retryAfter: 7 }
        })
      )
      assert.deepStrictEqual(JSON.parse((yield* asked("/json/oversized")).text).data, {
        code: "payload_too_large",
        max: "4096"
      })
    })
  )

  it.effect("One code may have two statuses, each an entry of its own", () =>
    Effect.gen(function* () {
      const { data, statusCode } = yield* Schema.encodeEffect(inJson(OwnTipTarget, "own_tip_target"))(
        new OwnTipTarget()
      )
      assert.deepStrictEqual([statusCode, data.code], [409, "own_target"])
    })
  )

  it.effect("A client catches the same classes by the same tags from either family", () =>
    Effect.gen(function* () {
      const { handler } = yield* handled
      const fetched: typeof fetch = async (input, init) => handler(new Request(input, init))
      const client = yield* HttpApiClient.make(api, { baseUrl: "http://press.test" }).pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(FetchHttpClient.Fetch, fetched)
      )
      for (const operation of [client.both.asProblem, client.both.asJson]) {
        const caught = (name: Case) =>
          operation({ params: { name } }).pipe(
            Effect.as("nothing"),
            Effect.catchTags({
              NotFound: (error) => Effect.succeed(error.message),
              Validation: ({ errors }) => Effect.succeed(errors),
              RateLimited: ({ retryAfterSeconds }) => Effect.succeed(retryAfterSeconds),
              Oversized: ({ max }) => Effect.succeed(max)
            })
          )
        assert.strictEqual(yield* caught("explained"), "No draft has this id")
        assert.deepStrictEqual(yield* caught("invalid"), [field])
        assert.strictEqual(yield* caught("limited"), 7)
        assert.strictEqual(yield* caught("oversized"), 4096n)
        assert.instanceOf(yield* Effect.flip(operation({ params: { name: "unknown" } })), NotFound)
      }
    })
  )

  it("The OpenAPI document has one component for each class and family", () => {
    const { components, paths } = OpenApi.fromApi(api)
    const { content, description } = paths["/problem/{name}"]?.get?.responses[404] ?? {}
    assert.deepStrictEqual(content, {
      "application/problem+json": { schema: { $ref: "#/components/schemas/NotFoundProblemEncoded" } }
    })
    assert.match(description ?? "", /^Nothing here for this caller\. .*Check the path/)
    assert.includeMembers(Object.keys(components.schemas), ["NotFoundEncoded", "RateLimitedProblemEncoded"])
    assert.notInclude(JSON.stringify(components.schemas), "_tag")
  })

  it("An error says why in its message", () => {
    assert.strictEqual(new NotFound().message, "NotFound")
    assert.strictEqual(refusals.explained().message, "No draft has this id")
    assert.strictEqual(refusals.invalid().message, "title: Send a title")
  })
})
