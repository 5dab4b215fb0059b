import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { freePort } from "../../layers/postgres/embedded/server.ts"
import { started } from "./server.ts"
import { exchange } from "./sockets.ts"

const ASKED = "GET /health/ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

describe("a service that starts", () => {
  it.live("The first connection that is accepted gets an answer", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const first = yield* exchange(port, ASKED).pipe(
        Effect.retry(Schedule.spaced("1 millis")),
        Effect.forkChild
      )
      yield* started("test_wire_starting", {}, { PORT: String(port) })
      assert.include([200, 503], (yield* Fiber.join(first)).status)
    })
  )
})
