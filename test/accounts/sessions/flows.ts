import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { signMessage, type walletOf } from "../../support/actors/owner.ts"
import { BASE_URL, TestClient, type TestAnswer } from "../../support/TestClient.ts"

type Wallet = ReturnType<typeof walletOf>

/** The answer of `POST /api/v1/auth/nano/challenge`. */
export interface Challenge {
  readonly challengeId: string
  readonly account: NanoAddress
  readonly message: string
  readonly issuedAt: string
  readonly expiresAt: string
}

interface Pair {
  readonly accessToken: string
  readonly refreshToken: string
}

/** Requests a new challenge for a wallet. */
export const challengeOf = Effect.fnUntraced(function* (wallet: Wallet) {
  const { body, status } = yield* (yield* TestClient).send("POST", "/api/v1/auth/nano/challenge", {
    body: { account: wallet.account }
  })
  assert.strictEqual(status, 201)
  return body as Challenge
})

/** Builds a claim as a wallet does, with `changes` applied. */
export const claimOf = (wallet: Wallet, challenge: Challenge, changes: Record<string, unknown> = {}) => ({
  challengeId: challenge.challengeId,
  account: wallet.account,
  signature: signMessage(wallet, challenge.message),
  ...changes
})

/** Sends a claim. Returns the answer, even a refusal. */
export const sendClaim = (body: unknown) =>
  Effect.flatMap(TestClient, (client) => client.send("POST", "/api/v1/auth/nano/claim", { body }))

/** Sends a refresh token. Returns the answer, even a refusal. */
export const sendRefresh = (refreshToken: unknown) =>
  Effect.flatMap(TestClient, (client) =>
    client.send("POST", "/api/v1/auth/refresh", { body: { refreshToken } })
  )

/** Asks for a code by mail. Returns the answer, even a refusal. */
export const sendLogin = (email: unknown, from?: string) =>
  Effect.flatMap(TestClient, (client) =>
    client.send("POST", "/api/v1/auth/login", { body: { email }, ...(from === undefined ? {} : { from }) })
  )

/** Sends a code back. Returns the answer, even a refusal. */
export const sendVerify = (email: unknown, code: unknown) =>
  Effect.flatMap(TestClient, (client) =>
    client.send("POST", "/api/v1/auth/verify", { body: { email, code } })
  )

/** Refreshes a session and returns the new pair; fails the test otherwise. */
export const refreshed = Effect.fnUntraced(function* (refreshToken: string) {
  const { body, status } = yield* sendRefresh(refreshToken)
  assert.strictEqual(status, 200)
  return body as Pair
})

/** Returns the status of a private owner route with this access token: 200 or 401. */
export const accessOf = (token: string) =>
  Effect.map(
    Effect.flatMap(TestClient, (client) => client.send("GET", "/api/v1/api-keys", { token })),
    ({ status }) => status
  )

/** Asserts a problem (spec 7.1) by its slug, with the headers of its status. */
export const assertProblem = (answer: TestAnswer, status: number, slug: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
  assert.strictEqual(answer.body.type, `${BASE_URL}/problems/${slug}`)
  assert.strictEqual(answer.body.status, status)
  assert.strictEqual(answer.headers.get("www-authenticate"), status === 401 ? "Bearer" : null)
}

/** Returns the fields and codes of a 422 of the problem family. */
export const fieldCodes = (answer: TestAnswer) => {
  assertProblem(answer, 422, "validation")
  return (answer.body.errors as ReadonlyArray<{ field: string; code: string }>).map((it) => [
    it.field,
    it.code
  ])
}
