import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { makeReadOnly, makeWritable } from "../support/readOnly.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"

const NAME = "test_wire_read_only"

/** Log lines of workers that cannot claim their work, and of the same that can again. */
const workers = [
  ["Mail is not being delivered", "Mail is being delivered again"],
  ["Payments are not being settled", "Payments are being settled again"],
  ["Uploads are not being processed", "Uploads are being processed again"]
] as const

describe("a read-only database", () => {
  it.live("A service with a read-only database is not ready, its workers wait, and all recovers", () =>
    Effect.gen(function* () {
      const { logs, origin } = yield* started(NAME)
      const ready = Effect.map(get(`${origin}/health/ready`), ({ status }) => status)
      const logged = (messages: ReadonlyArray<string>) =>
        Effect.sync(() => messages.every((message) => logs.some((line) => line.message === message)))
      assert.strictEqual(yield* ready, 200)
      yield* makeReadOnly(NAME)
      yield* eventually("workers without work", logged(workers.map(([lost]) => lost)))
      assert.strictEqual(yield* ready, 503)
      assert.strictEqual((yield* get(`${origin}/health/live`)).status, 200)
      yield* makeWritable(NAME)
      yield* eventually("workers with work", logged(workers.map(([, regained]) => regained)))
      yield* eventually(
        "readiness",
        Effect.map(ready, (status) => status === 200)
      )
    })
  )
})
