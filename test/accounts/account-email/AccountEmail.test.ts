import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo, linkTo, mailsTo } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { accessOf } from "../sessions/flows.ts"
import { assertJsonError, emailOf, jsonFieldCodes } from "./flows.ts"

layer(service(database("test_account_email")))("the e-mail address of an account (2.5, 3.3, 4.1)", (it) => {
  it.effect("A new address is confirmed and becomes verified, and a repeat still says verified", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(1)
      const email = "ada@example.org"
      const account = yield* emailOf(owner.accessToken)
      const none = { email: null, emailVerified: false, pendingEmail: null, status: "none" }
      assert.deepStrictEqual((yield* account.read).body, none)

      const asked = yield* account.change({ email, locale: "en", nested: { any: [1] } })
      assert.deepStrictEqual(asked.body, { status: "confirmation_sent", pendingEmail: email })
      const pending = { ...none, pendingEmail: email, status: "confirmation_sent" }
      assert.deepStrictEqual((yield* account.read).body, pending)

      const code = yield* codeTo(email)
      const verified = { status: "verified", email }
      assert.deepStrictEqual((yield* account.verify({ code })).body, verified)
      assert.deepStrictEqual((yield* account.verify({ code })).body, verified)
      assert.deepStrictEqual((yield* account.read).body, { ...none, email, emailVerified: true })
    })
  )

  it.effect("Asking for the current or pending address answers already_pending and sends no mail", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(2)
      const account = yield* emailOf(owner.accessToken)
      yield* account.change({ email: "bea@example.org" })
      assert.deepStrictEqual((yield* account.change({ email: "bea@EXAMPLE.org" })).body, {
        status: "already_pending",
        pendingEmail: "bea@example.org"
      })
      yield* account.verify({ code: yield* codeTo("bea@example.org") })
      assert.deepStrictEqual((yield* account.change({ email: "bea@example.org" })).body, {
        status: "already_pending",
        pendingEmail: null
      })
      assert.lengthOf(yield* mailsTo("bea@example.org"), 1)
    })
  )

  it.effect("A resend sends a new code, and needs a pending change", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(3)
      const account = yield* emailOf(owner.accessToken)
      assertJsonError(yield* account.resend, 400, "no_pending_email")
      yield* account.change({ email: "cleo@example.org" })
      const first = yield* codeTo("cleo@example.org")
      assert.deepStrictEqual((yield* account.resend).body, {
        status: "resent",
        pendingEmail: "cleo@example.org"
      })
      const second = yield* codeTo("cleo@example.org")
      if (first !== second) assertJsonError(yield* account.verify({ code: first }), 422, "invalid_code")
      assert.strictEqual((yield* account.verify({ code: second })).status, 200)
      assertJsonError(yield* account.resend, 400, "no_pending_email")
    })
  )

  it.effect("Another address replaces the pending one, whose code no longer works", () =>
    Effect.gen(function* () {
      const owner = yield* signIn(4)
      const account = yield* emailOf(owner.accessToken)
      yield* account.change({ email: "dora@example.org" })
      const former = yield* linkTo("dora@example.org")
      yield* account.change({ email: "dorothea@example.org" })
      assert.deepStrictEqual(jsonFieldCodes(yield* account.verify({ confirmationUrl: former })), [
        ["confirmationUrl", "mismatch"]
      ])
      yield* account.verify({ code: yield* codeTo("dorothea@example.org") })
      assert.strictEqual((yield* account.read).body.email, "dorothea@example.org")
    })
  )

  it.effect("A new address replaces the pending one, and the account's own address withdraws it", () =>
    Effect.gen(function* () {
      const account = yield* emailOf((yield* signIn(14)).accessToken)
      yield* account.change({ email: "gus@example.org" })
      yield* account.verify({ code: yield* codeTo("gus@example.org") })
      yield* account.change({ email: "gus2@example.org" })
      yield* account.change({ email: "gus3@example.org" })
      const code = yield* codeTo("gus3@example.org")
      const withdrawn = yield* account.change({ email: "GUS@example.org" })
      assert.deepStrictEqual(withdrawn.body, { status: "already_pending", pendingEmail: null })
      assert.deepInclude((yield* account.read).body, {
        email: "gus@example.org",
        pendingEmail: null,
        status: "none"
      })
      assertJsonError(yield* account.verify({ code }), 400, "no_pending_email")
      assertJsonError(yield* account.resend, 400, "no_pending_email")
      assert.lengthOf(yield* mailsTo("gus@example.org"), 1)
    })
  )

  it.effect("Only an owner session reads and changes the address, with errors of the JSON family", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken } = yield* signIn(30)
      const { body } = yield* client.send("POST", "/api/v1/api-keys", { token: accessToken, body: {} })
      for (const token of [body.key, "none"]) {
        const account = yield* emailOf(token)
        const answers = [
          yield* account.read,
          yield* account.change({ email: "lea@example.org" }),
          yield* account.resend,
          yield* account.verify({ code: "123456" })
        ]
        for (const answer of answers) assertJsonError(answer, 401, "unauthorized")
      }
      assert.strictEqual((yield* emailOf(accessToken)) && (yield* accessOf(accessToken)), 200)
    })
  )

  it.effect("An email is at most 320 characters and has the format of an address", () =>
    Effect.gen(function* () {
      const account = yield* emailOf((yield* signIn(31)).accessToken)
      const domain = `${"d".repeat(63)}.${"e".repeat(63)}.${"f".repeat(63)}.${"g".repeat(63)}`
      assert.strictEqual((yield* account.change({ email: `${"l".repeat(64)}@${domain}` })).status, 200)
      assert.deepStrictEqual(
        jsonFieldCodes(yield* account.change({ email: `${"l".repeat(64)}@${domain}g` })),
        [["email", "too_long"]]
      )
      assert.deepStrictEqual(jsonFieldCodes(yield* account.change({ email: "no address" })), [
        ["email", "invalid"]
      ])
      assert.deepStrictEqual(jsonFieldCodes(yield* account.change({ mail: "a@b" })), [["email", "required"]])
    })
  )
})
