import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { codeTo } from "../../support/mailbox.ts"
import { TestClient } from "../../support/TestClient.ts"

/** The answer of `POST /api/v1/registrations`. */
interface Receipt {
  readonly registrationId: string
  readonly status: string
  readonly email: string
  readonly expiresAt: string
  readonly resendAfterSeconds: number
}

/** Registers an address under a new Idempotency-Key or the given one. */
export const sendRegistration = Effect.fnUntraced(function* (email: unknown, key?: string) {
  const client = yield* TestClient
  const random = yield* SecureRandom.SecureRandom
  return yield* client.send("POST", "/api/v1/registrations", {
    headers: { "idempotency-key": key ?? (yield* random.uuidV4()) },
    body: { email }
  })
})

export const sendVerification = (registrationId: string, code: unknown) =>
  Effect.flatMap(TestClient, (client) =>
    client.send("POST", `/api/v1/registrations/${registrationId}/verify`, { body: { code } })
  )

export const sendKeyRequest = (registrationId: string, token: string, body: unknown = {}) =>
  Effect.flatMap(TestClient, (client) =>
    client.send("POST", `/api/v1/registrations/${registrationId}/api-key`, { token, body })
  )

/** Registers an address and returns the receipt; fails the test otherwise. */
export const receiptOf = Effect.fnUntraced(function* (email: string, key?: string) {
  const answer = yield* sendRegistration(email, key)
  assert.strictEqual(answer.status, 202, answer.text)
  return answer.body as Receipt
})

/** Registers a new owner by e-mail and returns their first session. */
export const registered = Effect.fnUntraced(function* (email: string) {
  const { registrationId } = yield* receiptOf(email)
  const answer = yield* sendVerification(registrationId, yield* codeTo(email))
  assert.strictEqual(answer.status, 200, answer.text)
  const { accessToken, refreshToken } = answer.body as { accessToken: string; refreshToken: string }
  return { registrationId, accessToken, refreshToken }
})
