import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { EmailAddressInput } from "../../../schemas/platform/EmailAddress.ts"
import { succeeding } from "../../support/derivedClient.ts"
import { codeTo } from "../../support/mailbox.ts"
import { TestClient } from "../../support/TestClient.ts"

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
  const succeed = yield* succeeding()
  const random = yield* SecureRandom.SecureRandom
  const name = key ?? (yield* random.uuidV4())
  return yield* succeed(({ registrations }) =>
    registrations.register({
      headers: { "idempotency-key": name },
      payload: { email: EmailAddressInput.make(email) }
    })
  )
})

/** Registers a new owner by e-mail and returns their first session. */
export const registered = Effect.fnUntraced(function* (email: string) {
  const { registrationId } = yield* receiptOf(email)
  const succeed = yield* succeeding()
  const code = yield* codeTo(email)
  const pair = yield* succeed(({ registrations }) =>
    registrations.verify({ params: { registrationId }, payload: { code } })
  )
  return { registrationId, ...pair }
})
