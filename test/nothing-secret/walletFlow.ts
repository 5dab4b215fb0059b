import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { keysOf } from "../accounts/api-keys/keys.ts"
import { challengeOf, claimOf, sendClaim, sendRefresh } from "../accounts/sessions/flows.ts"
import { signIn, walletOf } from "../support/actors/owner.ts"
import { TestClient } from "../support/TestClient.ts"

/** Runs each wallet operation with a secret, and returns all that was issued and refused. */
export const walletFlow = Effect.gen(function* () {
  const client = yield* TestClient
  const secrets: Array<string> = []
  const refusals: Array<string> = []
  const refused = Effect.map(({ status, text }: { status: number; text: string }) => {
    assert.isAbove(status, 399, text)
    refusals.push(text)
  })

  const first = yield* signIn(1)
  const second = (yield* sendRefresh(first.refreshToken)).body
  const retried = (yield* sendRefresh(first.refreshToken)).body
  const keys = yield* keysOf(second.accessToken)
  const name = { "idempotency-key": "one" }
  const issued = (yield* keys.issue({ label: "laptop" }, name)).body
  const rotated = (yield* keys.rotate(issued.apiKey.keyId)).body
  for (const pair of [first, second, retried]) {
    secrets.push(pair.accessToken, pair.accessToken.split(".")[2]!, pair.refreshToken.slice(4))
  }
  secrets.push(issued.key.split("_")[2], rotated.key.split("_")[2])
  for (const token of [second.accessToken, rotated.key]) yield* client.send("GET", "/api/v1/me", { token })

  const wallet = walletOf(2)
  const challenge = yield* challengeOf(wallet)
  const claim = claimOf(wallet, challenge)
  const stolen = (yield* sendClaim(claim)).body
  secrets.push(stolen.accessToken, stolen.refreshToken.slice(4))
  yield* refused(sendClaim(claim))
  yield* refused(sendClaim({ ...claim, signature: stolen.refreshToken }))
  yield* refused(sendClaim({ ...claim, challengeId: stolen.accessToken }))
  yield* refused(keys.issue({ label: "laptop" }, name))
  yield* refused(keys.issue({ label: rotated.key.repeat(2) }))
  yield* refused(keys.issue({ expiresAt: rotated.key }))
  yield* refused(keys.issue({}, { "idempotency-key": `${rotated.key} ${rotated.key}` }))
  yield* refused(keys.revoke(rotated.key))
  yield* refused(keys.rotate(second.refreshToken))
  yield* refused(sendRefresh([second.refreshToken]))
  yield* refused(
    client.send("POST", "/api/v1/auth/refresh", { body: `{"refreshToken":"${second.refreshToken}"` })
  )
  yield* refused(client.send("GET", `/api/v1/none/${second.accessToken}?token=${second.refreshToken}`))
  yield* refused(client.send("GET", "/api/v1/me", { token: `${rotated.key}0` }))
  yield* refused(client.send("GET", "/api/v1/profile", { token: second.accessToken }))
  yield* refused(client.send("GET", "/api/v1/api-keys", { token: rotated.key }))
  yield* refused(client.send("DELETE", "/api/v1/api-keys", { token: second.accessToken }))

  yield* TestClock.adjust("1 minute")
  const third = (yield* sendRefresh(second.refreshToken)).body
  secrets.push(third.accessToken, third.refreshToken.slice(4))
  yield* client.send("POST", "/api/v1/auth/logout", { token: stolen.accessToken })
  yield* refused(sendRefresh(stolen.refreshToken))
  return { first, key: rotated.key as string, refusals, refused, secrets, third }
})
