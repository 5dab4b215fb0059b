import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { silentProxy } from "../layers/postgres/silentProxy.ts"
import { freshDatabase } from "../support/Database.ts"
import { eventually } from "../support/eventually.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"

/**
 * A statement has five seconds, and a silent connection is cut within half a second more. A busy machine may take the
 * rest; without the limits there would be no answer.
 */
const ANSWERED_WITHIN_MILLIS = 20_000

/**
 * No request is in flight. Work in progress has five seconds, and the database as much again to answer. A busy machine may
 * take the rest.
 */
const STOPPED_WITHIN_MILLIS = 20_000

describe("a network to PostgreSQL that drops all packets", () => {
  it.live("Requests are 503 within seconds, and the service recovers by itself", () =>
    Effect.gen(function* () {
      const proxy = yield* silentProxy(yield* freshDatabase("test_wire_silent"))
      const { origin, stop } = yield* started("", {}, { DATABASE_URL: Redacted.value(proxy.url) })
      // Nothing is kept of a Post that does not exist, so each request asks the database.
      const read = get(`${origin}/api/posts/01990000-0000-7000-8000-00000000beef`)
      assert.strictEqual((yield* read).status, 404)
      yield* proxy.silence
      const began = performance.now()
      // Far more than the pool takes at once: the rest waits for a connection.
      const answers = yield* Effect.replicateEffect(read, 120, { concurrency: "unbounded" })
      assert.isBelow(performance.now() - began, ANSWERED_WITHIN_MILLIS)
      for (const { headers, status } of answers) {
        assert.strictEqual(status, 503)
        assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      }
      assert.strictEqual((yield* get(`${origin}/health/live`)).status, 200)
      assert.strictEqual((yield* get(`${origin}/health/ready`)).status, 503)
      yield* proxy.forward
      // A connection that was begun in silence is given up after those that were in use.
      yield* eventually(
        "answers to all at once",
        Effect.map(Effect.replicateEffect(read, 120, { concurrency: "unbounded" }), (after) =>
          after.every(({ status }) => status === 404)
        )
      )
      const stopping = performance.now()
      yield* stop
      assert.isBelow(performance.now() - stopping, STOPPED_WITHIN_MILLIS)
    })
  )
})
