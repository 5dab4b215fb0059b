import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { database, urlOf } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { holdingPosts } from "../../wire/locks.ts"
import { browser } from "../browser.ts"
import { signIn } from "../signIn.ts"

const NAME = "test_desk_slow_searches"

layer(service(database(NAME, { maxConnections: 1, searchTimeoutMillis: 1_500 })))(
  "a search of the desk that the database is slow to answer",
  (it) => {
    it.effect("A slow search of own posts or purchases holds up no other read, and ends as 503", () =>
      Effect.gen(function* () {
        const { send } = yield* TestClient
        yield* authorOf(2)
        const reader = yield* browser
        yield* signIn(reader, 1)
        const paths = [
          "/desk/posts?q=unheard",
          "/desk/posts?q=unheard&show=draft&sort=income",
          "/desk/purchases?q=unheard",
          "/desk/purchases?q=unheard+of"
        ]
        yield* holdingPosts(urlOf(NAME), ({ isAwaited }) =>
          Effect.gen(function* () {
            const searches = yield* Effect.forkChild(
              Effect.forEach(paths, (path) => reader.get(path), { concurrency: "unbounded" }),
              { startImmediately: true }
            )
            while (!(yield* isAwaited)) yield* Effect.yieldNow
            const profile = yield* send("GET", "/api/profile/author2")
            assert.strictEqual(profile.status, 200, profile.text)
            assert.isUndefined(searches.pollUnsafe(), "the searches wait until then")
            for (const [index, { headers, status, text }] of (yield* Fiber.join(searches)).entries()) {
              assert.strictEqual(status, 503, `${paths[index]}: ${text}`)
              assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, paths[index])
            }
          })
        )
        for (const path of paths) assert.strictEqual((yield* reader.get(path)).status, 200, path)
      })
    )
  }
)
