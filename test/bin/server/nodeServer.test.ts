import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PIPELINED_MAX } from "../../../src/bin/server/connections.ts"
import { SERVER_LIMITS } from "../../../src/bin/server/limits.ts"
import { makeNodeServer } from "../../../src/bin/server/nodeServer.ts"
import { listening } from "../../support/listening.ts"
import { connection } from "../../wire/sockets.ts"

const asked = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

/** Sends this many requests in one piece to a server that answers none. Returns how many it began, once cut. */
const begun = Effect.fnUntraced(function* (requests: number) {
  const { server } = makeNodeServer({ limits: SERVER_LIMITS, baseUrl: "http://x", clientOf: (it) => it })
  let count = 0
  server.on("request", () => count++)
  const { closed, write } = yield* connection(yield* listening(server))
  yield* write(asked.repeat(requests))
  yield* closed
  return count
}, Effect.scoped)

describe("Node's server", () => {
  it.live("Node drops the rest of pipelined requests once it has closed their connection", () =>
    Effect.gen(function* () {
      for (const requests of [PIPELINED_MAX + 1, 500]) {
        assert.strictEqual(yield* begun(requests), PIPELINED_MAX + 1, `${requests}`)
      }
    })
  )
})
