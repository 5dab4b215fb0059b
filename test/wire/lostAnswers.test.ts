import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codeIn, readingMail } from "../operations/outbox.ts"
import { type PlainRequest, plainClient } from "../operations/plainClient.ts"
import { signMessage, walletOf } from "../support/actors/owner.ts"
import { started } from "./server.ts"

/** Sends this as plainly as `fetch` does, and breaks the connection when the answer begins. */
const lose = async (url: string, request: PlainRequest) => {
  const { body, headers = {}, token } = request
  const controller = new AbortController()
  const { status } = await fetch(url, {
    method: "POST",
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: controller.signal
  })
  controller.abort()
  return status
}

/** Request that takes effect, for a client that never learns the outcome. */
const losing = (url: string, status: number, request: PlainRequest) =>
  Effect.map(
    Effect.promise(() => lose(url, request)),
    (answered) => assert.strictEqual(answered, status)
  )

describe("a commit whose answer was lost (spec 4.1.2 to 4.1.5)", () => {
  const signedIn = Effect.fnUntraced(function* (origin: string) {
    const { send } = plainClient(origin)
    const wallet = walletOf(1)
    const { account } = wallet
    const { challengeId, message } = yield* send("sessionsChallengeWallet", 201, { body: { account } })
    const claim = { challengeId, account, signature: signMessage(wallet, message) }
    return yield* send("sessionsClaimWallet", 200, { body: claim })
  })

  it.live("A lost issuance with an Idempotency-Key is repeated for its metadata, then rotated", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_lost_issuance")
      const { send } = plainClient(origin)
      const token = (yield* signedIn(origin)).accessToken
      const headers = { "idempotency-key": "one" }
      const body = { label: "laptop" }
      yield* losing(`${origin}/api/v1/api-keys`, 200, { token, body, headers })
      const { apiKey, key } = yield* send("apiKeysIssue", 409, { token, headers, body })
      assert.isUndefined(key)
      assert.strictEqual(apiKey.label, "laptop")
      assert.deepStrictEqual((yield* send("apiKeysList", 200, { token })).keys, [apiKey])
      const { keyId } = apiKey
      const rotated = yield* send("apiKeysRotate", 200, { token, params: { keyId }, body: {} })
      yield* send("meRead", 200, { token: rotated.key })
    })
  )

  it.live("A lost rotation shows its replacement in the list, and the old key is revoked", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_lost_rotation")
      const { send } = plainClient(origin)
      const token = (yield* signedIn(origin)).accessToken
      const old = yield* send("apiKeysIssue", 200, { token, body: { label: "laptop" } })
      const { keyId } = old.apiKey
      yield* losing(`${origin}/api/v1/api-keys/${keyId}/rotate`, 200, { token, body: {} })
      yield* send("apiKeysRotate", 404, { token, params: { keyId }, body: {} })
      const { keys } = yield* send("apiKeysList", 200, { token })
      const [replacement, ...others] = keys.filter((it: { revokedAt: unknown }) => it.revokedAt === null)
      assert.deepStrictEqual(others, [])
      assert.strictEqual(replacement.label, "laptop")
      const params = { keyId: replacement.keyId }
      const rotated = yield* send("apiKeysRotate", 200, { token, params, body: {} })
      yield* send("meRead", 200, { token: rotated.key })
      yield* send("meRead", 401, { token: old.key })
    })
  )

  it.live("A lost revocation is confirmed by the key list, and a repeat answers the same", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_lost_revocation")
      const { send } = plainClient(origin)
      const token = (yield* signedIn(origin)).accessToken
      const { keyId } = (yield* send("apiKeysIssue", 200, { token, body: {} })).apiKey
      yield* losing(`${origin}/api/v1/api-keys/${keyId}/revoke`, 200, { token })
      const { keys } = yield* send("apiKeysList", 200, { token })
      assert.isNotNull(keys[0].revokedAt)
      assert.deepStrictEqual(yield* send("apiKeysRevoke", 200, { token, params: { keyId } }), keys[0])
    })
  )

  it.live("A lost refresh has the same pair for the same token, within ten seconds", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_lost_refresh")
      const { send } = plainClient(origin)
      const { refreshToken } = yield* signedIn(origin)
      const body = { refreshToken }
      yield* losing(`${origin}/api/v1/auth/refresh`, 200, { body })
      const pair = yield* send("sessionsRefresh", 200, { body })
      assert.deepStrictEqual(yield* send("sessionsRefresh", 200, { body }), pair)
      yield* send("apiKeysList", 200, { token: pair.accessToken })
      yield* send("sessionsRefresh", 200, { body: { refreshToken: pair.refreshToken } })
    })
  )

  it.live("A lost registration has the same receipt for the same key, and its one mail verifies it", () =>
    Effect.gen(function* () {
      const { dataDirectory, origin } = yield* started("test_lost_registration")
      const { send } = plainClient(origin)
      const mailTo = readingMail(dataDirectory)
      const headers = { "idempotency-key": "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12" }
      const body = { email: "ada@example.org" }
      yield* losing(`${origin}/api/v1/registrations`, 202, { headers, body })
      // A second mail within the minute would be 429, so this one is the receipt of the first.
      const { registrationId } = yield* send("registrationsRegister", 202, { headers, body })
      const verification = { params: { registrationId }, body: { code: codeIn(yield* mailTo(body.email)) } }
      yield* send("registrationsVerify", 200, verification)
    })
  )
})
