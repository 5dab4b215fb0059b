import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo, mailsTo } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertProblem, fieldCodes, sendLogin, sendVerify } from "../sessions/flows.ts"
import { receiptOf, registered, sendKeyRequest, sendRegistration, sendVerification } from "./flows.ts"

const KEY = "3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12"

layer(service(database("test_registrations")))("registration (3.4, 4.1)", (it) => {
  it.effect("A registration leads to a receipt, a verification by code, a TokenPair and one key", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const email = "ada@example.org"
      const receipt = yield* receiptOf(email)
      assert.deepStrictEqual(receipt, {
        registrationId: receipt.registrationId,
        status: "pending",
        email,
        expiresAt: "2026-11-21T05:10:00.000000Z",
        resendAfterSeconds: 60
      })
      const pair = (yield* sendVerification(receipt.registrationId, yield* codeTo(email))).body
      assert.match(pair.refreshToken, /^ppe_[0-9A-Za-z]{43}$/)
      assert.deepStrictEqual(Object.keys(pair).toSorted(), ["accessToken", "refreshToken"])

      const issued = yield* sendKeyRequest(receipt.registrationId, pair.accessToken, { handle: "Ada_L" })
      assert.strictEqual(issued.status, 201)
      assert.deepStrictEqual(issued.body.profile, {
        id: decodeJwt(pair.accessToken).sub,
        name: "New User",
        handle: "Ada_L"
      })
      assert.match(issued.body.key, new RegExp(`^ppk_${issued.body.apiKey.keyId}_[0-9A-Za-z]{43}$`))

      const again = yield* sendKeyRequest(receipt.registrationId, pair.accessToken, { handle: "Ada_L" })
      assertProblem(again, 409, "key-already-issued")
      assert.deepStrictEqual(again.body.apiKey, issued.body.apiKey)
      assert.notInclude(again.text, issued.body.key.split("_")[2])

      const client = yield* TestClient
      const { body: me } = yield* client.send("GET", "/api/v1/me", { token: pair.accessToken })
      assert.deepStrictEqual(me.identity, {
        durable: true,
        walletLinked: false,
        walletAddress: null,
        email,
        emailVerified: true
      })
      const { text } = yield* client.send("GET", "/api/v1/me", { token: issued.body.key })
      assert.notInclude(text, email)
    })
  )

  it.effect("The same Idempotency-Key and address give the same receipt for a day, and one mail", () =>
    Effect.gen(function* () {
      const email = "bea@example.org"
      const receipt = yield* receiptOf(email, KEY)
      assert.deepStrictEqual(yield* receiptOf(email, KEY), receipt)
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(yield* receiptOf("bea@EXAMPLE.org", KEY.toUpperCase()), receipt)
      assert.lengthOf(yield* mailsTo(email), 0)
      yield* TestClock.adjust("1 hour")
      assert.notStrictEqual((yield* receiptOf(email, KEY)).registrationId, receipt.registrationId)
      assert.lengthOf(yield* mailsTo(email), 1)
    })
  )

  it.effect("The same key with another address is 409 idempotency-conflict and sends no mail", () =>
    Effect.gen(function* () {
      const key = KEY.replace("3", "4")
      yield* receiptOf("cleo@example.org", key)
      assertProblem(yield* sendRegistration("other@example.org", key), 409, "idempotency-conflict")
      assert.lengthOf(yield* mailsTo("other@example.org"), 0)
      assert.lengthOf(yield* mailsTo("cleo@example.org"), 1)
    })
  )

  it.effect("The header Idempotency-Key is required and must be a UUID", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const body = { email: "dora@example.org" }
      const bare = yield* client.send("POST", "/api/v1/registrations", { body })
      assert.deepStrictEqual(fieldCodes(bare), [["Idempotency-Key", "required"]])
      for (const key of ["1", `${KEY}0`, KEY.replaceAll("-", ""), "one two"]) {
        assert.deepStrictEqual(fieldCodes(yield* sendRegistration(body.email, key)), [
          ["Idempotency-Key", "invalid"]
        ])
      }
    })
  )

  it.effect("An email is at most 320 characters and has the format of an address", () =>
    Effect.gen(function* () {
      const local = "l".repeat(64)
      const domain = `${"d".repeat(63)}.${"e".repeat(63)}.${"f".repeat(63)}.${"g".repeat(63)}`
      assert.lengthOf(`${local}@${domain}`, 320)
      yield* receiptOf(`${local}@${domain}`)
      assert.deepStrictEqual(fieldCodes(yield* sendRegistration(`${local}@${domain}g`)), [
        ["email", "too_long"]
      ])
      const wrong = [
        "ada",
        "@example.org",
        "ada@",
        "a@b@c",
        "a@b..c",
        ".a@example.org",
        "a.@example.org",
        "a..b@example.org",
        "a@b-.org",
        "a@-b.org",
        "a@127.0.0.1",
        "a@0x7f.1",
        "a@b_c.org",
        "a@example.org:80",
        "a@example.org/x",
        "a@%65xample.org",
        "ada@exa mple.org",
        "ada@example.org\r\nbcc: eve@example.org",
        "Ada <ada@example.org>",
        "a,b@example.org",
        `${"l".repeat(65)}@example.org`,
        ""
      ]
      for (const email of wrong)
        assert.deepStrictEqual(fieldCodes(yield* sendRegistration(email)), [["email", "invalid"]], email)
      for (const email of [null, 7, {}, []])
        assert.deepStrictEqual(fieldCodes(yield* sendRegistration(email)), [["email", "invalid"]])
    })
  )

  it.effect("An address that has an owner gets the same receipt, and a mail that says to sign in", () =>
    Effect.gen(function* () {
      const email = "ena@example.org"
      yield* registered(email)
      const known = yield* sendRegistration(email)
      const unknown = yield* sendRegistration("nobody@example.org")
      assert.strictEqual(known.status, unknown.status)
      const shape = ({ registrationId: _id, email: _email, ...rest }: Record<string, unknown>) => rest
      assert.deepStrictEqual(shape(known.body), shape(unknown.body))
      const mail = (yield* mailsTo(email)).at(-1)
      assert.notMatch(mail?.text ?? "", /\d{6}/)
      assert.match(mail?.text ?? "", /sign in/i)
    })
  )

  it.effect("One mailbox has one account in every spelling of case, NFC, IDNA and final dot", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* registered("Flo@example.org")
      yield* registered("zo\u00eb@m\u00fcnchen.example")
      const spellings = {
        "Flo@example.org": ["flo@EXAMPLE.Org", "FLO@example.org.", "flo@\uff45xample.org"],
        "zo\u00eb@m\u00fcnchen.example": ["zoe\u0308@M\u00dcNCHEN.example", "ZO\u00cb@xn--mnchen-3ya.example"]
      }
      for (const [email, others] of Object.entries(spellings)) {
        for (const other of others) {
          const receipt = yield* receiptOf(other)
          const mail = (yield* mailsTo(receipt.email)).at(-1)
          assert.match(mail?.text ?? "", /sign in/i, other)
          // The service mails a login code to the address as its owner typed it.
          assert.strictEqual((yield* sendLogin(other)).status, 202)
          const { status, text } = yield* sendVerify(other, yield* codeTo(email))
          assert.strictEqual(status, 200, text)
        }
      }
      const owners = yield* sql<{ readonly email: string; readonly mailbox: string }>`
        select email, mailbox from owners where mailbox like 'flo@%' or mailbox like 'zo%' order by mailbox`
      assert.deepStrictEqual(owners, [
        { email: "Flo@example.org", mailbox: "flo@example.org" },
        { email: "zo\u00eb@m\u00fcnchen.example", mailbox: "zo\u00eb@xn--mnchen-3ya.example" }
      ])
    })
  )

  it.effect("A registration that is not verified is 409 for the owner of its address alone", () =>
    Effect.gen(function* () {
      const own = yield* registered("oda@example.org")
      yield* TestClock.adjust("1 minute")
      const { registrationId } = yield* receiptOf("Oda@example.org")
      assertProblem(yield* sendKeyRequest(registrationId, own.accessToken), 409, "registration-not-verified")
      const stranger = yield* registered("uwe@example.org")
      const foreign = yield* sendKeyRequest(registrationId, stranger.accessToken)
      const unknown = yield* sendKeyRequest(KEY, stranger.accessToken)
      assertProblem(foreign, 404, "not-found")
      assert.strictEqual(foreign.text, unknown.text)
    })
  )

  it.effect("A registration of another owner is 404, as an unknown one is", () =>
    Effect.gen(function* () {
      const stranger = yield* signIn(1)
      const own = yield* registered("pia@example.org")
      const foreign = yield* sendKeyRequest(own.registrationId, stranger.accessToken)
      const unknown = yield* sendKeyRequest(KEY, stranger.accessToken)
      assertProblem(foreign, 404, "not-found")
      assertProblem(unknown, 404, "not-found")
      assert.strictEqual(foreign.text, unknown.text)
      assert.deepStrictEqual(fieldCodes(yield* sendKeyRequest("no-uuid", stranger.accessToken)), [
        ["registrationId", "invalid"]
      ])
    })
  )

  it.effect("A refused handle issues no key", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const first = yield* registered("rob@example.org")
      yield* sendKeyRequest(first.registrationId, first.accessToken, { handle: "robert" })
      const second = yield* registered("sue@example.org")
      const refused = yield* sendKeyRequest(second.registrationId, second.accessToken, { handle: "ROBERT" })
      assertProblem(refused, 409, "handle-taken")
      assert.deepInclude(refused.body.errors[0], { field: "handle", code: "taken" })
      for (const [handle, code] of [
        ["abc", "too_short"],
        ["a".repeat(31), "too_long"],
        ["user_sue", "reserved"],
        ["admin", "reserved"],
        ["@sue_", "invalid"]
      ]) {
        assert.deepStrictEqual(
          fieldCodes(yield* sendKeyRequest(second.registrationId, second.accessToken, { handle })),
          [["handle", code]]
        )
      }
      const { body } = yield* client.send("GET", "/api/v1/api-keys", { token: second.accessToken })
      assert.lengthOf(body.keys, 0)
      const issued = yield* sendKeyRequest(second.registrationId, second.accessToken)
      assert.strictEqual(issued.status, 201)
      assert.match(issued.body.profile.handle, /^user_/)
    })
  )
})
