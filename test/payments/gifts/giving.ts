import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Author } from "../../support/actors/author.ts"
import { access } from "../../support/actors/buyer.ts"
import { type TestAnswer, TestClient } from "../../support/TestClient.ts"

/** The status of an answer and the reason of the access, or the code of the refusal. */
export const seen = ({ body, status }: TestAnswer) => [status, body.access?.via ?? body.data.code]

/** Asks for a gift as its author. The key is a new one unless the request names it. */
export const issue = Effect.fnUntraced(function* (
  { accessToken: token }: Pick<Author, "accessToken">,
  body: object,
  key: string = crypto.randomUUID()
) {
  const client = yield* TestClient
  return yield* client.send("POST", "/api/v1/gifts", { token, body, headers: { "idempotency-key": key } })
})

/** Issues a gift. Returns it with its token. */
export const gift = Effect.fnUntraced(function* (
  author: Pick<Author, "accessToken">,
  postId: string,
  terms: object = {}
) {
  const answer = yield* issue(author, { postId, ...terms })
  assert.strictEqual(answer.status, 201, answer.text)
  return { id: answer.body.gift.id as string, token: answer.body.token as string }
})

/** Redeems a gift for an account. */
export const redeem = Effect.fnUntraced(function* (accessToken: string, token: unknown) {
  const client = yield* TestClient
  return yield* client.send("POST", "/api/v1/gifts/redemptions", { token: accessToken, body: { token } })
})

/** Claims for an account the gift that a receipt is of. */
export const claim = Effect.fnUntraced(function* (accessToken: string, receiptToken: unknown) {
  const client = yield* TestClient
  return yield* client.send("POST", "/api/v1/gifts/claims", { token: accessToken, body: { receiptToken } })
})

/** Revokes a gift as its author. */
export const revoke = Effect.fnUntraced(function* (
  { accessToken }: Pick<Author, "accessToken">,
  id: string,
  redeemed?: string
) {
  const client = yield* TestClient
  const query = redeemed === undefined ? "" : `?redeemed=${redeemed}`
  return yield* client.send("DELETE", `/api/v1/gifts/${id}${query}`, { token: accessToken })
})

/** Lists gifts of an author. */
export const list = Effect.fnUntraced(function* ({ accessToken }: Pick<Author, "accessToken">, query = "") {
  const client = yield* TestClient
  return yield* client.send("GET", `/api/v1/gifts${query}`, { token: accessToken })
})

/** Reads a Post with a gift token, and an Idempotency-Key if there is one. */
export const readWith = (postId: string, token: string, key?: string, method = "GET") =>
  access(
    postId,
    { headers: { "x-gift-token": token, ...(key === undefined ? {} : { "idempotency-key": key }) } },
    method
  )
