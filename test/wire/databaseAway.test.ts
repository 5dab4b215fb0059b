import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { eventually } from "../support/eventually.ts"
import { holdingPosts } from "./locks.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"
import { takingAway } from "./takingAway.ts"

const MISSING = "01990000-0000-7000-8000-00000000beef"

describe("an unavailable database", () => {
  it.live("A request whose connection the database ends is also a 503", () =>
    Effect.gen(function* () {
      const { databaseUrl, logs, origin } = yield* started("test_wire_ended")
      yield* holdingPosts(databaseUrl, ({ endWaiting, isAwaited }) =>
        Effect.gen(function* () {
          const asked = yield* Effect.forkChild(get(`${origin}/api/posts`))
          yield* eventually("a request that waits for the database", isAwaited)
          yield* endWaiting
          const answer = yield* Fiber.join(asked)
          assert.strictEqual(answer.status, 503)
          assert.strictEqual(JSON.parse(answer.text).data.code, "dependency_unavailable")
        })
      )
      assert.notInclude(JSON.stringify(logs), "A request crashed")
    })
  )

  it.live("Operations are 503 with Retry-After, and the service is live, not ready, and recovers", () =>
    Effect.gen(function* () {
      const { databaseUrl, logs, origin } = yield* started("test_wire_away")
      const statuses = Effect.gen(function* () {
        // No answer to the last two is kept.
        const paths = ["/health/live", "/health/ready", `/api/posts/${MISSING}`, "/@nobody/nothing"]
        const answers = yield* Effect.forEach(paths, (path) => get(`${origin}${path}`))
        return answers.map(({ headers, status }) => [status, headers.get("retry-after") !== null])
      })
      assert.deepStrictEqual(yield* statuses, [
        [200, false],
        [200, false],
        [404, false],
        [404, false]
      ])
      yield* takingAway(
        databaseUrl,
        Effect.gen(function* () {
          for (let i = 0; i < 3; i++) {
            assert.deepStrictEqual(yield* statuses, [
              [200, false],
              [503, true],
              [503, true],
              [503, true]
            ])
          }
        })
      )
      assert.deepStrictEqual(yield* statuses, [
        [200, false],
        [200, false],
        [404, false],
        [404, false]
      ])
      assert.notInclude(JSON.stringify(logs), "A request crashed")
    })
  )
})
