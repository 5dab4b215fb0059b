import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { registered } from "../../accounts/registrations/flows.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { codeTo, mailsTo, wrongCode } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, type Browser, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { askCode, signIn, valueOf } from "../signIn.ts"

/** Asks for a code. Returns the page that asks for it. */
const ask = Effect.fnUntraced(function* (reader: Browser, email: string) {
  const first = yield* reader.get("/sign-in?back=%2Fnewest")
  assertPrivate(first)
  validated(first.text)
  return yield* askCode(reader, { email, back: valueOf(first.text, "back") })
})

const verify = (reader: Browser, text: string, code: string) =>
  reader.post("/sign-in", {
    code,
    back: valueOf(text, "back"),
    email: valueOf(text, "email"),
    page: valueOf(text, "page")
  })

layer(service(database("test_reading_sign_up")))("an account that is made in a browser", (it) => {
  it.effect(
    "A new account that wants to write begins with the sheet, whose publication asks for a name",
    () =>
      Effect.gen(function* () {
        const email = "writer@example.org"
        const reader = yield* browser
        const { text } = yield* ask(reader, email)
        const page = valueOf(text, "page")
        const made = yield* reader.post("/sign-in", {
          code: yield* codeTo(email),
          back: "/write",
          email,
          page
        })
        assert.deepStrictEqual([made.status, made.headers.get("location")], [303, "/write"])
        assert.strictEqual((yield* reader.get("/write")).status, 200)
      })
  )

  it.effect("A new account begins with a mail, goes on to a name, and comes back", () =>
    Effect.gen(function* () {
      const email = "new@example.org"
      const reader = yield* browser
      const { text } = yield* ask(reader, email)
      const code = yield* codeTo(email)
      const wrong = yield* verify(reader, text, wrongCode(code))
      assert.deepStrictEqual([wrong.status, reader.jar.size], [403, 0])
      validated(wrong.text)
      const made = yield* verify(reader, text, code)
      assert.deepStrictEqual([made.status, made.headers.get("location")], [303, "/profile?back=%2Fnewest"])
      assertPrivate(made)
      const names = yield* reader.get("/profile?back=%2Fnewest")
      assert.strictEqual(names.status, 200)
      assertPrivate(names)
      validated(names.text)
      assert.notInclude(names.text, "New User")
      assert.notInclude(names.text, "user_")
      const saved = yield* reader.post("/profile", { name: " Nele ", handle: "@nele_reads", back: "/newest" })
      assert.deepStrictEqual([saved.status, saved.headers.get("location")], [303, "/newest"], saved.text)
      assert.include((yield* reader.get("/profile")).text, 'value="nele_reads"')
      // The code counts once.
      yield* TestClock.adjust("11 seconds")
      const other = yield* browser
      assert.strictEqual((yield* verify(other, text, code)).status, 403)
    })
  )

  it.effect("Two presses of the button send one mail, and a changed address another", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      const first = yield* ask(reader, "twice@example.org")
      yield* askCode(reader, { email: "twice@example.org", page: valueOf(first.text, "page") })
      assert.lengthOf(yield* mailsTo("twice@example.org"), 1)
      yield* ask(reader, "changed@example.org")
      assert.lengthOf(yield* mailsTo("changed@example.org"), 1)
      assert.strictEqual((yield* reader.post("/sign-in", { email: "no address" })).status, 400)
      const made = yield* verify(reader, first.text, yield* codeTo("twice@example.org"))
      assert.strictEqual(made.status, 303)
    })
  )

  it.effect("The former path of the registration leads to the one page for both", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      for (const [path, to] of [
        ["/sign-up?back=%2Fnewest", "/sign-in?back=%2Fnewest"],
        ["/sign-up", "/sign-in?back=%2Fdesk"],
        ["/sign-up?back=%2F%2Fevil.test", "/sign-in?back=%2Fdesk"]
      ] as const) {
        const { headers, status } = yield* reader.get(path)
        assert.deepStrictEqual([status, headers.get("location")], [303, to], path)
      }
    })
  )

  it.effect("An address that has an account gets the same answer, and the mail tells it from a new one", () =>
    Effect.gen(function* () {
      yield* registered("known@example.org")
      yield* TestClock.adjust("2 minutes")
      const reader = yield* browser
      const known = yield* ask(reader, "known@example.org")
      const fresh = yield* ask(reader, "fresh@example.org")
      const mailed = Effect.fnUntraced(function* (email: string) {
        return (yield* mailsTo(email)).at(-1)!
      })
      assert.include((yield* mailed("known@example.org")).text, "to sign in to")
      assert.include((yield* mailed("fresh@example.org")).text, "to create your")
      const mails = (yield* mailsTo("known@example.org")).length
      const opened = yield* verify(reader, known.text, yield* codeTo("known@example.org"))
      // The code of an account goes to its address as the account spells it.
      yield* TestClock.adjust("2 minutes")
      yield* ask(yield* browser, "KNOWN@Example.org")
      assert.lengthOf(yield* mailsTo("known@example.org"), mails + 1)
      assert.deepStrictEqual([opened.status, opened.headers.get("location")], [303, "/newest"])
      const plain = (text: string, email: string) =>
        text
          .replaceAll(email, "…")
          .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id")
          .replaceAll(valueOf(text, "page"), "page")
      assert.strictEqual(plain(known.text, "known@example.org"), plain(fresh.text, "fresh@example.org"))
    })
  )
})

layer(service(database("test_reading_profile")))("the name of an account", (it) => {
  it.effect("A name is checked as by the API, and a refused form keeps its text", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const reader = yield* browser
      yield* signIn(reader, 2)
      const save = (name: string, handle: string) => reader.post("/profile", { name, handle, back: "/x" })
      for (const [name, handle, said] of [
        ["", "good_handle", "Send"],
        ["New User", "good_handle", "another name"],
        ["Ada", "x", "4"],
        ["Ada", "admin", "reserved"],
        ["Ada", author.handle.toUpperCase(), "That handle is taken"],
        ["<b>", "no spaces", "letters"]
      ] as const) {
        const refused = yield* save(name, handle)
        assert.strictEqual(refused.status, 409, `${name} ${handle}`)
        validated(refused.text)
        assert.include(refused.text, said)
        assert.include(refused.text, 'aria-invalid="true"')
      }
      assert.strictEqual((yield* save("Ada", "ada_of_test")).headers.get("location"), "/x")
      const forged = yield* reader.post(
        "/profile",
        { name: "Eve", handle: "evil" },
        { "sec-fetch-site": "cross-site" }
      )
      assert.strictEqual(forged.status, 403)
      const stranger = yield* browser
      const asked = yield* stranger.get("/profile?back=/x")
      assert.strictEqual(asked.headers.get("location"), "/sign-in?back=%2Fprofile%3Fback%3D%252Fx")
      assert.strictEqual((yield* stranger.post("/profile", { back: "/x" })).status, 401)
    })
  )
})

layer(service(database("test_reading_supporters")))("the switch for lists of supporters", (it) => {
  it.effect("A reader is on no list of supporters until they choose it, and may leave again", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      yield* signIn(reader, 3)
      const off = yield* reader.get("/profile?back=/newest")
      validated(off.text)
      assert.include(off.text, "Authors can see who paid them")
      for (const [show, said] of [
        ["yes", "Your name is in lists"],
        ["yes", "Your name is in lists"],
        ["no", "Authors can see who paid them"]
      ] as const) {
        const answer = yield* reader.post("/profile/supporters", { show, back: "/newest" })
        const path = "/profile?back=%2Fnewest"
        assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, path])
        const shown = yield* reader.get(path)
        validated(shown.text)
        assert.include(shown.text, said)
      }
      for (const wrong of ["", "maybe"])
        assert.strictEqual((yield* reader.post("/profile/supporters", { show: wrong })).status, 400)
      const forged = yield* reader.post(
        "/profile/supporters",
        { show: "yes" },
        { "sec-fetch-site": "cross-site" }
      )
      assert.strictEqual(forged.status, 403)
      const stranger = yield* browser
      const asked = yield* stranger.post("/profile/supporters", { show: "yes", back: "/newest" })
      assert.strictEqual(asked.status, 401)
      assert.strictEqual(valueOf(asked.text, "back"), "/profile?back=%2Fnewest")
    })
  )
})

layer(service(database("test_reading_mailbox"), 1, { rateLimitFactor: 1 }))(
  "the limits of a mailbox",
  (it) => {
    it.effect("A page asks for the code even when it was requested twice within a minute", () =>
      Effect.gen(function* () {
        const email = "again@example.org"
        yield* registered(email)
        yield* TestClock.adjust("2 minutes")
        const reader = yield* browser
        const begun = yield* askCode(reader, { email })
        const again = yield* askCode(reader, { email, page: valueOf(begun.text, "page") })
        const code = yield* codeTo(email)
        assert.lengthOf(yield* mailsTo(email), 2)
        assert.strictEqual(valueOf(again.text, "email"), email)
        assert.include(again.text, 'autocomplete="one-time-code"')
        assert.include(again.text, "We just sent you a code")
        assert.strictEqual((yield* verify(reader, again.text, code)).status, 303)
      })
    )

    it.effect(
      "Another browser hears only that the address was mailed, whether or not it has an account",
      () =>
        Effect.gen(function* () {
          const known = "seen@example.org"
          yield* registered(known)
          yield* TestClock.adjust("2 minutes")
          const reader = yield* browser
          const own = yield* ask(reader, known)
          const unknown = yield* ask(reader, "unseen@example.org")
          const code = yield* codeTo(known)
          const heard = Effect.fnUntraced(function* (email: string) {
            const { text } = yield* ask(yield* browser, email)
            assert.include(text, "We can&#39;t email this address again yet. Ask for a code in 60 seconds.")
            return text.replaceAll(email, "…").replaceAll(valueOf(text, "page"), "page")
          })
          const before = yield* heard(known)
          assert.strictEqual((yield* verify(reader, own.text, code)).status, 303)
          // The answer does not tell that the owner signed in.
          assert.strictEqual(yield* heard(known), before)
          assert.strictEqual(yield* heard("unseen@example.org"), before)
          assert.lengthOf(yield* mailsTo(known), 2)
          const made = yield* verify(yield* browser, unknown.text, yield* codeTo("unseen@example.org"))
          assert.strictEqual(made.status, 303)
        })
    )

    it.effect("A reader whose mail is lost asks for another one on the same page", () =>
      Effect.gen(function* () {
        const email = "lost@example.org"
        const reader = yield* browser
        const first = yield* ask(reader, email)
        const again = (text: string) =>
          askCode(reader, { email, back: valueOf(text, "back"), page: valueOf(text, "page") })
        assert.include(first.text, "Send it again")
        const soon = yield* again(first.text)
        assert.strictEqual(valueOf(soon.text, "page"), valueOf(first.text, "page"))
        const code = yield* codeTo(email)
        yield* TestClock.adjust("2 minutes")
        const second = yield* again(soon.text)
        assert.lengthOf(yield* mailsTo(email), 2)
        yield* again(soon.text)
        assert.lengthOf(yield* mailsTo(email), 2, "pressed twice")
        const newest = yield* codeTo(email)
        assert.strictEqual((yield* verify(reader, first.text, code)).status, 403)
        assert.strictEqual((yield* verify(reader, second.text, newest)).status, 303)
      })
    )

    it.effect(
      "An address without a whole domain is refused by the forms as by the API, and stays in its field",
      () =>
        Effect.gen(function* () {
          const reader = yield* browser
          const refused = yield* reader.post("/sign-in", { email: "a@x" })
          assert.strictEqual(refused.status, 400)
          validated(refused.text)
          assert.strictEqual(valueOf(refused.text, "email"), "")
          assert.match(refused.text, /type="email"[^>]*value="a@x"/)
          const byApi = yield* (yield* TestClient).send("POST", "/api/v1/registrations", {
            headers: { "idempotency-key": "00000000-0000-4000-8000-0000000000aa" },
            body: { email: "a@x" }
          })
          assert.strictEqual(byApi.status, 422)
        })
    )
  }
)
