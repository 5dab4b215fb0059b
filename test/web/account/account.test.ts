import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { registered } from "../../accounts/registrations/flows.ts"
import { signIn as signInByApi, signMessage, walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo, mailsTo, wrongCode } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { browser, type Browser } from "../browser.ts"
import { askCode, signIn, valueOf } from "../signIn.ts"
import { ACCOUNT, keyMade, pageOf, send, signedIn } from "./pages.ts"

/** Signs in by the code of a mail, to an account that has no wallet. */
const byMail = Effect.fnUntraced(function* (email: string) {
  yield* registered(email)
  const reader = yield* browser
  yield* TestClock.adjust("2 minutes")
  const page = valueOf((yield* askCode(reader, { email })).text, "page")
  const opened = yield* reader.post("/sign-in", { email, page, code: yield* codeTo(email) })
  assert.strictEqual(opened.status, 303, opened.text)
  return reader
})

const sessionsIn = (text: string) =>
  [...text.matchAll(/name="session"\s+value="([^"]*)"/g)].map(([, id = ""]) => id)

/** Signs the text on a page with the wallet of this number, and sends the form. */
const sign = (reader: Browser, text: string, signer: number, account: string) => {
  const message = /<pre[^>]*>([^<]+)<\/pre>/.exec(text)?.[1] ?? ""
  return send(reader, `${ACCOUNT}/wallet`, {
    account,
    challengeId: valueOf(text, "challengeId"),
    signature: signMessage(walletOf(signer), message)
  })
}

layer(service(database("test_web_account")))("the page of an account", (it) => {
  it.effect("The page says every state of a new account, and leads from the menu", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(1)
      const text = yield* pageOf(reader)
      for (const said of [
        "You don&#39;t have one yet.",
        "You have 0 keys, and can have up to five.",
        "(this browser)",
        "Your account has no email address.",
        walletOf(1).account
      ])
        assert.include(text, said)
      assert.notInclude(text, "Sign out everywhere else")
      assert.include(text, '<a href="/desk/account" aria-current="page">Account</a>')
      for (const done of ["constructor", "toString", "<b>", ""])
        assert.notInclude(yield* pageOf(reader, `${ACCOUNT}?done=${done}`), 'id="outcome"')
    })
  )

  it.effect(
    "A wrong payout address is refused next to its field on the account, which lists former ones",
    () =>
      Effect.gen(function* () {
        const reader = yield* browser
        yield* signIn(reader, 31)
        const path = `${ACCOUNT}/payout`
        const revisionOf = Effect.map(pageOf(reader, ACCOUNT), (text) => valueOf(text, "revision"))
        const [first, second] = [walletOf(31).account, walletOf(32).account]
        assert.strictEqual(
          (yield* reader.post(path, { revision: yield* revisionOf, address: first })).status,
          303
        )
        const stale = yield* revisionOf
        const typo = `${second.slice(0, -1)}${second.endsWith("1") ? "3" : "1"}`
        const refused = yield* reader.post(path, { revision: stale, address: typo })
        assert.strictEqual(refused.status, 422)
        assert.include(refused.text, "Your account")
        assert.match(refused.text, new RegExp(`id="address"[^>]*value="${typo}"[^>]*aria-invalid="true"`))
        assert.notInclude(refused.text, "Former addresses")
        assert.strictEqual((yield* reader.post(path, { revision: stale, address: second })).status, 303)
        const text = yield* pageOf(reader, ACCOUNT)
        assert.match(text, new RegExp(`Former addresses[^]*${first}`))
        assert.strictEqual((yield* reader.post(path, { revision: stale, address: first })).status, 409)
      })
  )

  it.effect("A payout address is saved from the page, and a wrong checksum is named at its field", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(2)
      const revision = valueOf(yield* pageOf(reader), "revision")
      const { account } = walletOf(2)
      const typo = account.replace(/.$/, (last) => (last === "1" ? "3" : "1"))
      const refused = yield* send(reader, "/payout", { back: ACCOUNT, revision, address: typo })
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, typo)
      assert.include(refused.text, "receive money. Copy it from your wallet again.")
      const saved = yield* send(reader, "/payout", { back: ACCOUNT, revision, address: account })
      assert.strictEqual(saved.headers.get("location"), `${ACCOUNT}?done=payout`)
      assert.include(yield* pageOf(reader, `${ACCOUNT}?done=payout`), "Your payout address is saved.")
      // Another tab still has the old revision.
      const other = walletOf(902).account
      const stale = yield* send(reader, "/payout", { back: ACCOUNT, revision, address: other })
      assert.strictEqual(stale.status, 409)
      assert.include(stale.text, `value="${other}"`)
      assert.include(stale.text, `<code>${account}</code>`)
      const replaced = yield* send(reader, "/payout", {
        back: ACCOUNT,
        revision: valueOf(stale.text, "revision"),
        address: other
      })
      assert.strictEqual(replaced.status, 303)
      assert.include(yield* pageOf(reader), other)
      for (const bad of ["", "-1", "x", "1e3"])
        assert.strictEqual((yield* send(reader, "/payout", { revision: bad, address: other })).status, 400)
    })
  )

  it.effect("A browser that ends its own session is signed out, and others stay signed in", () =>
    Effect.gen(function* () {
      const [one, two, three] = [yield* signedIn(3), yield* signedIn(3), yield* signedIn(3)]
      const { accessToken } = yield* signInByApi(3)
      const text = yield* pageOf(one)
      const [newest = "", middle = "", own = ""] = sessionsIn(text)
      for (const _ of [1, 2]) {
        const ended = yield* send(one, `${ACCOUNT}/browsers`, { session: newest })
        assert.strictEqual(ended.headers.get("location"), `${ACCOUNT}?done=ended`)
      }
      assert.strictEqual((yield* three.get(ACCOUNT)).status, 303)
      const everywhere = yield* send(one, `${ACCOUNT}/browsers/others`)
      assert.strictEqual(everywhere.headers.get("location"), `${ACCOUNT}?done=others`)
      assert.strictEqual((yield* two.get(ACCOUNT)).status, 303)
      assert.deepStrictEqual(sessionsIn(yield* pageOf(one)), [own])
      assert.notStrictEqual(middle, own)
      // A program that signed in stays signed in.
      const client = yield* TestClient
      const me = yield* client.send("GET", "/api/v1/me", { token: accessToken })
      assert.strictEqual(me.status, 200)
      const out = yield* send(one, `${ACCOUNT}/browsers`, { session: own })
      assert.strictEqual(out.headers.get("location"), "/")
      assert.strictEqual(one.jar.size, 0)
      assert.strictEqual((yield* one.get(ACCOUNT)).status, 303)
    })
  )

  it.effect("A session of another account, and a text that names none, is not found", () =>
    Effect.gen(function* () {
      const owner = yield* signedIn(4)
      const stranger = yield* signedIn(5)
      const [id = ""] = sessionsIn(yield* pageOf(owner))
      for (const session of [id, "", "\0", "00000000-0000-0000-0000-000000000000"]) {
        const { status } = yield* send(stranger, `${ACCOUNT}/browsers`, { session })
        assert.strictEqual(status, 404, JSON.stringify(session))
      }
      yield* send(stranger, `${ACCOUNT}/browsers/others`)
      assert.strictEqual((yield* owner.get(ACCOUNT)).status, 200)
    })
  )

  it.effect("An email address changes by the code of its mail, and the browser stays signed in", () =>
    Effect.gen(function* () {
      const reader = yield* byMail("old@example.org")
      assert.include(yield* pageOf(reader), "old@example.org</bdi> is confirmed.")
      const asked = yield* send(reader, `${ACCOUNT}/email`, { email: " new@example.org " })
      assert.strictEqual(asked.headers.get("location"), `${ACCOUNT}?done=sent`)
      const pending = yield* pageOf(reader, `${ACCOUNT}?done=sent`)
      assert.include(pending, "new@example.org")
      assert.include(pending, "Keep old@example.org")
      const code = yield* codeTo("new@example.org")
      for (const bad of [wrongCode(code), "", "12345", "<b>", "\0"]) {
        const wrong = yield* send(reader, `${ACCOUNT}/email/code`, { code: bad })
        assert.strictEqual(wrong.status, 422, bad)
        assert.include(wrong.text, "That code is wrong or has expired.")
      }
      for (const _ of [1, 2]) {
        const confirmed = yield* send(reader, `${ACCOUNT}/email/code`, { code: ` ${code} ` })
        assert.strictEqual(confirmed.headers.get("location"), `${ACCOUNT}?done=email`)
      }
      const text = yield* pageOf(reader, `${ACCOUNT}?done=email`)
      assert.include(text, "new@example.org</bdi> is confirmed.")
      assert.notInclude(text, "old@example.org")
      assert.match((yield* mailsTo("old@example.org")).at(-1)?.text ?? "", /different email address/)
      const none = yield* send(reader, `${ACCOUNT}/email/code`, { code: "000000" })
      assert.strictEqual(none.status, 409)
    })
  )

  it.effect("An email address that is refused stays in its field, and a change can be taken back", () =>
    Effect.gen(function* () {
      const reader = yield* byMail("stays@example.org")
      for (const email of ["", "ada", "ada@gmail", `<script>@x`, `${"a".repeat(320)}@example.org`]) {
        const refused = yield* send(reader, `${ACCOUNT}/email`, { email })
        assert.strictEqual(refused.status, 422, email)
        assert.notInclude(refused.text, "<script>@x")
      }
      yield* send(reader, `${ACCOUNT}/email`, { email: "wrong@example.org" })
      const again = yield* send(reader, `${ACCOUNT}/email/again`)
      assert.strictEqual(again.headers.get("location"), `${ACCOUNT}?done=sent`)
      assert.lengthOf(yield* mailsTo("wrong@example.org"), 2)
      const kept = yield* send(reader, `${ACCOUNT}/email`, { email: "stays@example.org" })
      assert.strictEqual(kept.headers.get("location"), `${ACCOUNT}?done=kept`)
      assert.notInclude(yield* pageOf(reader), "wrong@example.org")
      assert.strictEqual((yield* send(reader, `${ACCOUNT}/email/again`)).status, 409)
    })
  )

  it.effect("An address that another account confirmed meanwhile is refused with its reason", () =>
    Effect.gen(function* () {
      const reader = yield* signedIn(6)
      yield* send(reader, `${ACCOUNT}/email`, { email: "both@example.org" })
      const code = yield* codeTo("both@example.org")
      yield* TestClock.adjust("2 minutes")
      yield* registered("both@example.org")
      const taken = yield* send(reader, `${ACCOUNT}/email/code`, { code })
      assert.strictEqual(taken.status, 409)
      assert.include(taken.text, "Another account already uses this address.")
    })
  )

  it.effect("A wallet is linked by its signature, and another signature links nothing", () =>
    Effect.gen(function* () {
      const reader = yield* byMail("wallet@example.org")
      const { account } = walletOf(7)
      for (const bad of ["", "nano_x", "<b>", account.replace(/.$/, (it) => (it === "1" ? "3" : "1"))]) {
        const refused = yield* send(reader, `${ACCOUNT}/wallet`, { account: bad })
        assert.strictEqual(refused.status, 422, bad)
      }
      const step = yield* send(reader, `${ACCOUNT}/wallet`, { account: ` ${account} ` })
      assert.strictEqual(step.status, 200)
      const wrong = yield* sign(reader, step.text, 8, account)
      assert.strictEqual(wrong.status, 422)
      assert.include(wrong.text, "doesn&#39;t match")
      assert.notStrictEqual(valueOf(wrong.text, "challengeId"), valueOf(step.text, "challengeId"))
      const malformed = yield* send(reader, `${ACCOUNT}/wallet`, {
        account,
        challengeId: valueOf(wrong.text, "challengeId"),
        signature: "<b>"
      })
      assert.strictEqual(malformed.status, 422)
      assert.include(yield* pageOf(reader), "No wallet is linked.")
      const linked = yield* sign(reader, malformed.text, 7, account)
      assert.strictEqual(linked.headers.get("location"), `${ACCOUNT}?done=wallet`)
      assert.include(yield* pageOf(reader, `${ACCOUNT}?done=wallet`), account)
      const other = yield* browser
      yield* signIn(other, 7)
      assert.include(yield* pageOf(other), "wallet@example.org")
      // An account keeps its wallet, and a wallet its account.
      const second = yield* send(reader, `${ACCOUNT}/wallet`, { account: walletOf(9).account })
      const refused = yield* sign(reader, second.text, 9, walletOf(9).account)
      assert.strictEqual(refused.status, 409)
      assert.include(refused.text, "Your account already has a different wallet")
      const third = yield* byMail("third@example.org")
      const taken = yield* send(third, `${ACCOUNT}/wallet`, { account })
      const answer = yield* sign(third, taken.text, 7, account)
      assert.strictEqual(answer.status, 409)
      assert.include(answer.text, "This wallet belongs to another account.")
    })
  )

  it.effect("A reader who is signed out keeps what they typed, and changes nothing", () =>
    Effect.gen(function* () {
      const owner = yield* signedIn(10)
      const secret = yield* keyMade(owner, "Stays")
      const reader = yield* browser
      const key = "5f0c7a52-6f3c-4b0e-9d52-000000000010"
      for (const [path, fields, typed] of [
        ["/payout", { address: walletOf(10).account, revision: "0" }, walletOf(10).account],
        [`${ACCOUNT}/keys`, { key, label: "Typed <i>" }, "Typed &lt;i&gt;"],
        [`${ACCOUNT}/keys/revoke`, { keyId: secret.slice(4, 20) }, "signed out"],
        [`${ACCOUNT}/keys/rotate`, { keyId: secret.slice(4, 20) }, "signed out"],
        [`${ACCOUNT}/email`, { email: "typed@example.org" }, "typed@example.org"],
        [`${ACCOUNT}/email/code`, { code: "123456" }, "123456"],
        [`${ACCOUNT}/email/again`, {}, "signed out"],
        [`${ACCOUNT}/wallet`, { account: walletOf(10).account }, walletOf(10).account],
        [`${ACCOUNT}/browsers`, { session: "" }, "signed out"],
        [`${ACCOUNT}/browsers/others`, {}, "signed out"]
      ] as const) {
        const answer = yield* send(reader, path, fields)
        assert.strictEqual(answer.status, 401, path)
        assert.include(answer.text, typed)
        assert.include(answer.text, 'action="/sign-in"')
      }
      const asked = yield* reader.get(ACCOUNT)
      assert.strictEqual(asked.headers.get("location"), "/sign-in?back=%2Fdesk%2Faccount")
    })
  )
})

layer(service(database("test_web_account_limits"), 1, { rateLimitFactor: 1 }))(
  "the limits of the page of an account",
  (it) => {
    it.effect("A mailbox gets no second mail within a minute, and the page says so at the field", () =>
      Effect.gen(function* () {
        const reader = yield* signedIn(11)
        yield* send(reader, `${ACCOUNT}/email`, { email: "often@example.org" })
        const soon = yield* send(reader, `${ACCOUNT}/email/again`)
        assert.strictEqual(soon.status, 429)
        assert.isNotNull(soon.headers.get("retry-after"))
        assert.include(soon.text, "We emailed this address a moment ago.")
        const other = yield* signedIn(12)
        const taken = yield* send(other, `${ACCOUNT}/email`, { email: "often@example.org" })
        assert.strictEqual(taken.status, 429)
        assert.include(taken.text, 'value="often@example.org"')
        assert.lengthOf(yield* mailsTo("often@example.org"), 1)
        yield* TestClock.adjust("2 minutes")
        assert.strictEqual((yield* send(reader, `${ACCOUNT}/email/again`)).status, 303)
        assert.lengthOf(yield* mailsTo("often@example.org"), 2)
      })
    )
  }
)
