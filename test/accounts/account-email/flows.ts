import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { codeTo } from "../../support/mailbox.ts"
import { TestClient, type TestAnswer } from "../../support/TestClient.ts"

const PATH = "/api/v1/account/email"

/** The e-mail operations of the owner with this access token. */
export const emailOf = Effect.fnUntraced(function* (token: string) {
  const client = yield* TestClient
  return {
    read: client.send("GET", PATH, { token }),
    change: (body: unknown) => client.send("POST", PATH, { token, body }),
    resend: client.send("POST", `${PATH}/resend`, { token }),
    verify: (body: unknown) => client.send("POST", `${PATH}/verify`, { token, body })
  }
})

/** Asserts an error of the ordinary JSON family (spec 7.2) by its code. */
export const assertJsonError = (answer: TestAnswer, status: number, code: string) => {
  assert.strictEqual(answer.status, status, answer.text)
  assert.match(answer.headers.get("content-type") ?? "", /^application\/json/)
  assert.strictEqual(answer.body.statusCode, status)
  assert.strictEqual(answer.body.data.code, code)
}

/** Returns the fields and codes of a 422 of the ordinary JSON family. */
export const jsonFieldCodes = (answer: TestAnswer) => {
  assertJsonError(answer, 422, "validation")
  return (answer.body.data.errors as ReadonlyArray<{ field: string; code: string }>).map((it) => [
    it.field,
    it.code
  ])
}

/** Asks for an address and confirms it. */
export const confirmed = Effect.fnUntraced(function* (token: string, email: string) {
  const account = yield* emailOf(token)
  const asked = yield* account.change({ email })
  assert.strictEqual(asked.status, 200, asked.text)
  const answer = yield* account.verify({ code: yield* codeTo(email) })
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body
})
