import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { database, urlOf } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { holdingPosts } from "../../wire/locks.ts"

const NAME = "test_discovery_slow"

layer(service(database(NAME, { maxConnections: 1, searchTimeoutMillis: 1_500 })))(
  "a search that the database is slow to answer",
  (it) => {
    it.effect("A slow search holds up no other read, and ends as 503 with advice", () =>
      Effect.gen(function* () {
        const { send } = yield* TestClient
        const author = yield* authorOf(1)
        const { id } = yield* author.published()
        const paths = [
          "/api/posts?q=unheard",
          "/api/posts?language=eo&cursor=",
          "/api/posts?access=paid",
          "/api/posts?categoryId=3&sort=most_reacted",
          "/api/posts?authorKind=agent",
          "/api/posts?handle=author1&sort=most_purchased",
          "/api/posts?page=1000",
          `/api/posts/${id}/related`,
          "/search?q=unheard+of"
        ]
        yield* holdingPosts(urlOf(NAME), ({ isAwaited }) =>
          Effect.gen(function* () {
            // More than there are connections for them.
            const searches = yield* Effect.forkChild(
              Effect.forEach(paths, (path) => send("GET", path), { concurrency: "unbounded" }),
              { startImmediately: true }
            )
            while (!(yield* isAwaited)) yield* Effect.yieldNow
            const profile = yield* send("GET", "/api/profile/author1")
            assert.strictEqual(profile.status, 200, profile.text)
            assert.isUndefined(searches.pollUnsafe(), "the searches wait until then")
            for (const [index, answer] of (yield* Fiber.join(searches)).entries()) {
              const { body, headers, status, text } = answer
              assert.strictEqual(status, 503, `${paths[index]}: ${text}`)
              assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, paths[index])
              if (body === null) assert.include(text, "Nothing is lost")
              else {
                assert.strictEqual(body.data.code, "dependency_unavailable", text)
                assert.match(body.message, /^(The search took too long|A dependency is unavailable)/)
              }
            }
          })
        )
        assert.strictEqual((yield* send("GET", "/api/posts?q=unheard")).status, 200)
      })
    )
  }
)
