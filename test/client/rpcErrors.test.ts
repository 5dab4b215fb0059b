import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { makeAdminClient } from "../../src/client/AdminClient.ts"
import { makeServiceClient } from "../../src/client/ServiceClient.ts"
import { listening } from "../support/listening.ts"

const token = Redacted.make("a wrong token")

/** Returns the messages of a call of each client to this origin. */
const messages = Effect.fnUntraced(function* (baseUrl: string) {
  const admin = yield* makeAdminClient({ baseUrl, token })
  const service = yield* makeServiceClient({ baseUrl, token })
  const id = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12" as never
  return [
    yield* Effect.flip(admin["accounts.restrict"]({ handle: "ada" as never, reason: "Spam" as never })),
    yield* Effect.flip(service["discovery.post"]({ postId: id }))
  ].map(({ message }) => message)
}, Effect.provide(FetchHttpClient.layer))

describe("errors of the clients over RPC", () => {
  it.live("An absent service is named by its address, with the reason", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(listening(createServer()))
      for (const message of yield* messages(`http://127.0.0.1:${port}`)) {
        assert.include(message, `http://127.0.0.1:${port}/rpc`)
        assert.include(message, "ECONNREFUSED")
      }
    })
  )

  it.live("A wrong token is named, and another answer by its status", () =>
    Effect.gen(function* () {
      const answer = (status: number) =>
        Effect.map(
          listening(createServer((_, response) => response.writeHead(status).end())),
          (port) => `http://127.0.0.1:${port}`
        )
      for (const message of yield* messages(yield* answer(401))) assert.include(message, "ADMIN_TOKEN")
      const broken = yield* answer(502)
      for (const message of yield* messages(broken)) {
        assert.include(message, "502")
        assert.include(message, `${broken}/rpc`)
      }
    })
  )
})
