import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { signIn, walletOf } from "../../support/actors/owner.ts"
import { freshDatabase } from "../../support/Database.ts"
import { codeTo, mailsTo } from "../../support/mailbox.ts"
import { processOver, TestClient } from "../../support/TestClient.ts"
import { browser } from "../../web/browser.ts"
import { validated } from "../../web/pages/documents.ts"
import { askCode, signIn as signInBrowser, valueOf } from "../../web/signIn.ts"
import { assertProblem, challengeOf, claimOf, sendClaim, sendLogin, sendVerify } from "../sessions/flows.ts"
import { receiptOf, registered, sendKeyRequest, sendRegistration, sendVerification } from "./flows.ts"

/** The service before and after its operator closed registration, over one database. */
class Sites extends Context.Service<
  Sites,
  Readonly<Record<"open" | "closed", Effect.Success<ReturnType<typeof processOver>>>>
>()("pennypress/test/accounts/registrations/closed.test/Sites") {
  static readonly layer = Layer.effect(
    Sites,
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_registrations_closed")
      return {
        open: yield* processOver(url, 1),
        closed: yield* processOver(url, 2, { isRegistrationOpen: false })
      }
    })
  )
}

const owners = Effect.map(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly count: number }>`select count(*)::int as count from owners`
  ),
  ([row]) => row?.count
)

const whileOpen = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Sites, ({ open }) => Effect.provide(effect, open))

/** Runs requests to the closed site, and asserts that they create no account. */
const whileClosed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Sites, ({ closed }) =>
    Effect.gen(function* () {
      const before = yield* owners
      const answer = yield* effect
      assert.strictEqual(yield* owners, before)
      return answer
    }).pipe(Effect.provide(closed))
  )

layer(Sites.layer)("a site that takes no new accounts", (it) => {
  it.effect("A registration is refused with the same answer for every address, and sends no mail", () =>
    Effect.gen(function* () {
      yield* whileOpen(registered("ada@example.org"))
      yield* Effect.gen(function* () {
        const answers = yield* Effect.forEach(["ada@example.org", "bea@example.org"], (email) =>
          sendRegistration(email)
        )
        for (const answer of answers) assertProblem(answer, 403, "registration-closed")
        assert.deepStrictEqual(answers[0]!.body, answers[1]!.body)
        for (const email of ["ada@example.org", "bea@example.org"])
          assert.isEmpty(yield* mailsTo(email), email)
      }).pipe(whileClosed)
    })
  )

  it.effect("A registration that began before is refused, with its code and with a wrong one", () =>
    Effect.gen(function* () {
      const { code, key, registrationId } = yield* Effect.gen(function* () {
        const { registrationId } = yield* receiptOf("cleo@example.org")
        const key = yield* registered("dora@example.org")
        return { registrationId, key, code: yield* codeTo("cleo@example.org") }
      }).pipe(whileOpen)
      yield* Effect.gen(function* () {
        for (const it of [code, "000000"])
          assertProblem(yield* sendVerification(registrationId, it), 403, "registration-closed")
        // The account of the other registration exists, so it gets its key.
        assert.strictEqual((yield* sendKeyRequest(key.registrationId, key.accessToken)).status, 201)
      }).pipe(whileClosed)
      // The code was not used up.
      const again = yield* whileOpen(sendVerification(registrationId, code))
      assert.strictEqual(again.status, 200)
    })
  )

  it.effect("Accounts that exist sign in as before, by mail and by wallet", () =>
    Effect.gen(function* () {
      yield* whileOpen(Effect.andThen(registered("fay@example.org"), signIn(1)))
      yield* Effect.gen(function* () {
        yield* signIn(1)
        assert.strictEqual((yield* sendLogin("fay@example.org")).status, 202)
        assert.strictEqual(
          (yield* sendVerify("fay@example.org", yield* codeTo("fay@example.org"))).status,
          200
        )
        const unknown = yield* sendLogin("nobody@example.org")
        assert.strictEqual(unknown.status, 202)
        assert.isEmpty(yield* mailsTo("nobody@example.org"))
      }).pipe(whileClosed)
    })
  )

  it.effect("Only the holder of a wallet learns that it has no account", () =>
    Effect.gen(function* () {
      yield* whileOpen(signIn(1))
      const challenge = yield* Effect.gen(function* () {
        const [known, unknown] = yield* Effect.all([challengeOf(walletOf(1)), challengeOf(walletOf(2))])
        for (const [number, it] of [
          [1, known],
          [2, unknown]
        ] as const) {
          const forged = { ...claimOf(walletOf(3), it), account: walletOf(number).account }
          assertProblem(yield* sendClaim(forged), 401, "invalid-challenge")
        }
        const refused = yield* sendClaim(claimOf(walletOf(2), unknown))
        assertProblem(refused, 403, "registration-closed")
        return unknown
      }).pipe(whileClosed)
      // The challenge is still open, should registration open again.
      assert.strictEqual((yield* whileOpen(sendClaim(claimOf(walletOf(2), challenge)))).status, 200)
    })
  )

  it.effect("Pages say that registration is closed, and lead to the sign-in alone", () =>
    Effect.gen(function* () {
      yield* whileOpen(signIn(1))
      yield* Effect.gen(function* () {
        const client = yield* TestClient
        const reader = yield* browser
        const former = yield* reader.get("/sign-up?back=%2Fnewest")
        assert.strictEqual(former.headers.get("location"), "/sign-in?back=%2Fnewest")
        const begun = yield* reader.get("/sign-in?back=%2Fnewest")
        assert.strictEqual(begun.status, 200)
        assert.include(begun.text, "We&#39;re not taking new accounts")
        assert.notInclude(begun.text, "reate")
        validated(begun.text)
        const answers = yield* Effect.forEach(["ada@example.org", "bea@example.org"], (email) =>
          Effect.map(askCode(reader, { email, back: "/" }), ({ text }) =>
            text.replaceAll(email, "…").replaceAll(valueOf(text, "page"), "page")
          )
        )
        assert.lengthOf(new Set(answers), 1)
        assert.include(answers[0], "If … has an account")
        assert.isEmpty(yield* mailsTo("bea@example.org"))

        const waiting = yield* reader.post("/desk/account/email", { email: "eva@example.org" })
        assert.include(waiting.text, "Continue")
        assert.notInclude(waiting.text, "/sign-up")
        const about = yield* client.send("GET", "/about", { headers: { accept: "text/html" } })
        assert.notInclude(about.text, "/sign-up")
        assert.include(about.text, "We're not taking new accounts")
        const llms = yield* client.send("GET", "/llms.txt")
        assert.include(llms.text, "This site takes no new accounts")

        const { answer: refused } = yield* signInBrowser(reader, 9)
        assert.strictEqual(refused.status, 403)
        assert.include(refused.text, "This wallet has no account here")
        validated(refused.text)
        const { answer: signedIn } = yield* signInBrowser(reader, 1)
        assert.strictEqual(signedIn.status, 303)
      }).pipe(whileClosed)
    })
  )
})
