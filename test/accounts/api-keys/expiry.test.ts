import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { IssuedKey } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { registered, sendKeyRequest } from "../registrations/flows.ts"
import { assertProblem } from "../sessions/flows.ts"
import { keyAccess, keysOf } from "./keys.ts"

const DAY = 24 * 60 * 60 * 1000

layer(service(database("test_key_expiry")))("the expiry of Publishing keys (4.1, 5.7)", (it) => {
  const owner = (number: number) => Effect.flatMap(signIn(number), ({ accessToken }) => keysOf(accessToken))
  const registeredKey = Effect.gen(function* () {
    const { accessToken, registrationId } = yield* registered("ada@example.org")
    return (yield* sendKeyRequest(registrationId, accessToken)).body as typeof IssuedKey.Encoded
  })
  const issued = {
    "its issuance": Effect.flatMap(owner(1), (keys) => keys.issued()),
    "its registration": registeredKey
  }

  for (const [name, issue] of Object.entries(issued)) {
    it.effect(`A key expires 90 days after ${name}, to the millisecond`, () =>
      Effect.gen(function* () {
        const { apiKey, key } = yield* issue
        const [from, to] = [Date.parse(apiKey.createdAt), Date.parse(apiKey.expiresAt ?? "")]
        assert.strictEqual(to - from, 90 * DAY)
        yield* TestClock.adjust(90 * DAY - 1)
        assert.strictEqual(yield* keyAccess(key), 200)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* keyAccess(key), 401)
      })
    )
  }

  it.effect("A null expiresAt gives a key without expiry, in issuance and in rotation", () =>
    Effect.gen(function* () {
      const keys = yield* owner(3)
      const request = { expiresAt: null }
      const name = { "idempotency-key": "one" }
      const eternal = (yield* keys.issue(request, name)).body as typeof IssuedKey.Encoded
      assert.isNull(eternal.apiKey.expiresAt)
      const replay = yield* keys.issue(request, name)
      assertProblem(replay, 409, "key-already-issued")
      assert.deepStrictEqual(replay.body.apiKey, eternal.apiKey)
      const rotated = (yield* keys.rotate((yield* keys.issued()).apiKey.keyId, request))
        .body as typeof IssuedKey.Encoded
      assert.isNull(rotated.apiKey.expiresAt)
      yield* TestClock.adjust(36_500 * DAY)
      for (const { key } of [eternal, rotated]) assert.strictEqual(yield* keyAccess(key), 200)
    })
  )
})
