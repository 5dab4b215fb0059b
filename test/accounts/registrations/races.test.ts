import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { decodeJwt } from "jose"
import { codeTo, mailsTo } from "../../support/mailbox.ts"
import type { TestAnswer } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"
import { assertProblem } from "../sessions/flows.ts"
import { receiptOf, registered, sendKeyRequest, sendRegistration, sendVerification } from "./flows.ts"

const KEY = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"

/** Returns a different Idempotency-Key for each number. */
const keyOf = (number: number) => KEY.replace(/..$/, String(number).padStart(2, "0"))

const atOnce = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })

/** Returns the one answer of this status; every other must be this problem. */
const onlyWinner = (answers: ReadonlyArray<TestAnswer>, success: number, status: number, slug: string) => {
  const winners = answers.filter((it) => it.status === success)
  for (const answer of answers) if (answer.status !== success) assertProblem(answer, status, slug)
  assert.lengthOf(winners, 1)
  return winners[0]!
}

layer(twoServices("test_registration_races"))("registrations in two parallel processes (3.4, 4.1)", (it) => {
  const countOf = Effect.fnUntraced(function* (table: string, email: string) {
    const sql = yield* SqlClient.SqlClient
    return (yield* sql`select from ${sql(table)} where email = ${email}`).length
  })

  it.effect("Two registrations with one Idempotency-Key give one receipt and one mail", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        const email = `ada${round}@example.org`
        const send = sendRegistration(email, keyOf(round))
        const answers = yield* atOnce([send, send])
        for (const { status } of answers) assert.strictEqual(status, 202)
        assert.deepStrictEqual(answers[0]!.body, answers[1]!.body)
        assert.strictEqual(yield* countOf("registrations", email), 1)
        assert.lengthOf(yield* mailsTo(email), 1)
        const verified = yield* sendVerification(answers[1]!.body.registrationId, yield* codeTo(email))
        assert.strictEqual(verified.status, 200)
      }
    })
  )

  it.effect(
    "Of two registrations of two addresses with one Idempotency-Key, one gets idempotency-conflict",
    () =>
      Effect.gen(function* () {
        const emails = ["bea@example.org", "bella@example.org"]
        const answers = yield* atOnce(emails.map((email) => sendRegistration(email, keyOf(20))))
        const { email } = onlyWinner(answers, 202, 409, "idempotency-conflict").body
        for (const each of emails) assert.lengthOf(yield* mailsTo(each), each === email ? 1 : 0)
      })
  )

  it.effect("Fifty verifications of one registration make one owner and one session", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const email = "cleo@example.org"
      const { registrationId } = yield* receiptOf(email)
      const code = yield* codeTo(email)
      const answers = yield* Effect.replicateEffect(sendVerification(registrationId, code), 50, {
        concurrency: "unbounded"
      })
      const { accessToken } = onlyWinner(answers, 200, 401, "invalid-code").body
      assert.strictEqual(yield* countOf("owners", email), 1)
      const owner = decodeJwt(accessToken).sub ?? ""
      assert.lengthOf(yield* sql`select from sessions where owner_id = ${owner}`, 1)
    })
  )

  it.effect("Two verifications of two registrations of one address make one owner", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 10; round++) {
        const email = `dora${round}@example.org`
        const verifications = []
        for (let i = 0; i < 2; i++) {
          const { registrationId } = yield* receiptOf(email)
          verifications.push(sendVerification(registrationId, yield* codeTo(email)))
        }
        onlyWinner(yield* atOnce(verifications), 200, 409, "email-taken")
        assert.strictEqual(yield* countOf("owners", email), 1)
      }
    })
  )

  it.effect("Ten key requests of one registration issue one key, and nine get key-already-issued", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { accessToken, registrationId } = yield* registered("ena@example.org")
      const request = sendKeyRequest(registrationId, accessToken, { handle: "ena_e" })
      const answers = yield* Effect.replicateEffect(request, 10, { concurrency: "unbounded" })
      const winner = onlyWinner(answers, 201, 409, "key-already-issued").body
      for (const { body, text } of answers) {
        assert.deepStrictEqual(body.apiKey, winner.apiKey)
        if (body.key === undefined) assert.notInclude(text, winner.key.split("_")[2])
      }
      const owner = decodeJwt(accessToken).sub ?? ""
      assert.lengthOf(yield* sql`select from api_keys where owner_id = ${owner}`, 1)
    })
  )

  it.effect("Of two owners who ask for one handle and a key, one gets both and the other neither", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owners = [yield* registered("flo@example.org"), yield* registered("fay@example.org")]
      const answers = yield* atOnce(
        owners.map(({ accessToken, registrationId }) =>
          sendKeyRequest(registrationId, accessToken, { handle: "both_want" })
        )
      )
      const winner = onlyWinner(answers, 201, 409, "handle-taken").body
      for (const { accessToken } of owners) {
        const owner = decodeJwt(accessToken).sub ?? ""
        const keys = yield* sql`select from api_keys where owner_id = ${owner}`
        assert.lengthOf(keys, owner === winner.profile.id ? 1 : 0)
      }
    })
  )
})
