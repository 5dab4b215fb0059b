import { inspect } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { HttpClient, HttpClientError } from "effect/http"
import { SqlClient } from "effect/sql"
import { makeServiceClient } from "../../src/client/ServiceClient.ts"
import { ADMIN_TOKEN } from "../support/actors/administrator.ts"
import { authorOf } from "../support/actors/author.ts"
import { completeDraft, otherService, withKey } from "../support/actors/otherService.ts"
import { database } from "../support/Database.ts"
import { BASE_URL, service, TestClient } from "../support/TestClient.ts"
import { recorder } from "./recorder.ts"
import { assertAbsent } from "./search.ts"

/** A network that is unavailable: the error holds the request that was not sent. */
const away = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) =>
    Effect.fail(
      new HttpClientError.HttpClientError({
        reason: new HttpClientError.TransportError({ request, cause: new Error("no route to host") })
      })
    )
  )
)

layer(service(database("test_nothing_secret_rpc"), 1, { adminToken: ADMIN_TOKEN }))(
  "the secrets of calls over RPC",
  (it) => {
    it.effect("No secret of a call over RPC appears in logs, spans and errors, on either side", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const author = yield* authorOf(1)
        const secrets = [ADMIN_TOKEN, author.key.split("_")[2] ?? ""]
        const errors: Array<string> = []
        const shown = <A, E, R>(call: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.exit(call), (exit) => {
            assert(Exit.isFailure(exit))
            errors.push(inspect(exit, { depth: null }), JSON.stringify(exit))
            return exit
          })
        const tagsOf = (exit: Exit.Exit<unknown, { readonly _tag: string }>) =>
          Exit.isFailure(exit)
            ? exit.cause.reasons.map((reason) => (reason._tag === "Fail" ? reason.error._tag : reason._tag))
            : []

        const { seen, watched } = recorder()
        yield* Effect.gen(function* () {
          const client = yield* otherService()
          const asAuthor = withKey(author.key)
          yield* asAuthor(client["posts.create"]({ draft: completeDraft }))
          yield* shown(withKey(`${author.key}x`)(client["posts.list"]({})))
          yield* shown(asAuthor((yield* otherService(`${ADMIN_TOKEN}x`))["posts.list"]({})))

          const unreachable = yield* makeServiceClient({
            baseUrl: BASE_URL,
            token: Redacted.make(ADMIN_TOKEN)
          }).pipe(Effect.provide(away))
          const unsent = yield* shown(asAuthor(unreachable["posts.list"]({})))
          assert.deepStrictEqual(tagsOf(unsent), ["RpcClientError"])
          yield* Effect.logError("A call failed", unsent)

          yield* sql`alter table posts rename to away`
          const failed = yield* shown(asAuthor(client["posts.list"]({})))
          yield* sql`alter table away rename to posts`
          // A defect is hidden from the caller, and the log has it under the id of the request.
          assert.deepStrictEqual(tagsOf(failed), ["InternalError"])
          assert.notInclude(errors.join("\n"), "relation")

          const malformed = yield* (yield* TestClient).send("POST", "/rpc", {
            token: ADMIN_TOKEN,
            headers: { "x-api-key": author.key },
            body: "{\n"
          })
          errors.push(malformed.text)
        }).pipe(
          // An operator may record headers in traces.
          Effect.provideService(HttpClient.TracerHeaderFilter, () => true),
          Effect.provide(watched)
        )

        const { logs, spans } = seen()
        assert.include(logs.join("\n"), "A request crashed")
        assert.match(logs.find((line) => line.includes("A request crashed")) ?? "", /requestId/)
        assert.isTrue(spans.some((span) => span.includes("http.request.header.x-api-key")))
        assertAbsent(secrets, "logs", logs)
        assertAbsent(secrets, "spans", spans)
        assertAbsent(secrets, "errors", errors)
      })
    )
  }
)
