import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { registered } from "../../accounts/registrations/flows.ts"
import { database } from "../../support/Database.ts"
import { codeTo, mailsTo, wrongCode } from "../../support/mailbox.ts"
import { service } from "../../support/TestClient.ts"
import { type Browser, browser } from "../browser.ts"
import { askCode, valueOf } from "../signIn.ts"

/** Sends the form of a page that asks for a code. */
const enter = (reader: Browser, text: string, code: string) =>
  reader.post("/sign-in", {
    ...Object.fromEntries(
      ["back", "email", "page", "kept"]
        .map((name) => [name, valueOf(text, name)] as const)
        .filter(([, value]) => value !== "")
    ),
    code
  })

const spoken = (code: string) =>
  `${[...code].map((digit) => String.fromCodePoint(0xff10 + Number(digit))).join("")}です`

layer(service(database("test_code_pages")))("the page of a code", (it) => {
  it.effect("A code is read as people paste it, and a text without one costs no try", () =>
    Effect.gen(function* () {
      const email = "pasted@example.org"
      yield* registered(email)
      yield* TestClock.adjust("2 minutes")
      const reader = yield* browser
      const { text } = yield* askCode(reader, { email })
      assert.notMatch(text, /id="code"[^>]*pattern=/)
      assert.match(text, /id="code"[^>]*maxlength="500"/)
      const code = yield* codeTo(email)
      for (const unread of ["", "123 45", "１２３", "x", "1234567", code.slice(1)])
        assert.strictEqual((yield* enter(reader, text, unread)).status, 403)
      const pasted = `${code.slice(0, 3)} ${code.slice(3)}`
      assert.strictEqual((yield* enter(reader, text, ` ${pasted} `)).status, 303)
    })
  )

  it.effect("A form with a code that is sent twice gets the first answer twice, within ten seconds", () =>
    Effect.gen(function* () {
      const email = "double@example.org"
      const reader = yield* browser
      const asked = yield* askCode(reader, { email, back: "/newest" })
      const code = yield* codeTo(email)
      const other = yield* browser
      const [first, second] = yield* Effect.all(
        [enter(reader, asked.text, spoken(code)), enter(other, asked.text, code)],
        { concurrency: 2 }
      )
      for (const answer of [first, second]) {
        assert.strictEqual(answer.status, 303, answer.text)
        assert.strictEqual(answer.headers.get("location"), "/profile?back=%2Fnewest")
      }
      assert.deepStrictEqual([...reader.jar.values()], [...other.jar.values()])
      const sql = yield* SqlClient.SqlClient
      const sessions = yield* sql`
        select 1 from browser_sessions join sessions s on s.id = session_id
        join owners o on o.id = s.owner_id where o.mailbox = ${email}`
      assert.lengthOf(sessions, 1)
      // The browser that has the cookie already keeps its session.
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual((yield* enter(reader, asked.text, code)).status, 303)
      assert.strictEqual((yield* reader.get("/sign-out")).status, 200)
      // A stranger's page, and a later form, get nothing.
      const stranger = yield* browser
      const without = { ...asked, text: asked.text.replaceAll('name="page"', 'name="none"') }
      assert.strictEqual((yield* enter(stranger, without.text, code)).status, 403)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual((yield* enter(stranger, asked.text, code)).status, 403)
      assert.strictEqual(stranger.jar.size, 0)
    })
  )

  it.effect("A wrong code that is sent again costs one try, and the sixth try opens nothing", () =>
    Effect.gen(function* () {
      const email = "wrong@example.org"
      yield* registered(email)
      yield* TestClock.adjust("2 minutes")
      const reader = yield* browser
      const { text } = yield* askCode(reader, { email })
      const code = yield* codeTo(email)
      const wrong = wrongCode(code)
      for (let times = 0; times < 6; times++)
        assert.strictEqual((yield* enter(reader, text, wrong)).status, 403)
      const { text: opened } = yield* reader.get(`/sign-in/code/${valueOf(text, "page")}`)
      assert.strictEqual((yield* enter(reader, opened, code)).status, 303)

      yield* TestClock.adjust("2 minutes")
      const again = yield* browser
      const guessed = yield* askCode(again, { email })
      let guess = yield* codeTo(email)
      const right = guess
      for (let times = 0; times < 5; times++) {
        guess = wrongCode(guess)
        yield* enter(again, guessed.text, guess)
      }
      assert.strictEqual((yield* enter(again, guessed.text, right)).status, 403)
    })
  )

  it.effect("A reader comes back to the page of a code, with the form that waits for it", () =>
    Effect.gen(function* () {
      const email = "back@example.org"
      yield* registered(email)
      yield* TestClock.adjust("2 minutes")
      const reader = yield* browser
      const refused = yield* reader.post("/write", { title: "Kept", free: "A text that waits" })
      const kept = valueOf(refused.text, "kept")
      const answer = yield* reader.post("/sign-in", {
        email,
        back: "/about",
        ...(kept === "" ? {} : { kept })
      })
      const path = answer.headers.get("location") ?? ""
      const [first, second] = [yield* reader.get(path), yield* reader.get(path)]
      assert.strictEqual(first.text, second.text)
      assert.strictEqual(valueOf(first.text, "kept"), kept)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly row: string }>`
        select r::text as row from idempotency_records r where scope = 'code_page'`
      for (const { row } of rows) {
        assert.notInclude(row, email)
        assert.notInclude(row, path.replace(/.*\//, ""))
      }
      const code = yield* codeTo(email)
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual((yield* reader.get(path)).status, 200)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual((yield* reader.get(path)).headers.get("location"), "/sign-in")
      assert.strictEqual((yield* enter(reader, first.text, code)).status, 403)
      for (const unknown of ["/sign-in/code/x", "/sign-in/code/%00"])
        assert.strictEqual((yield* reader.get(unknown)).status, 303)
    })
  )

  it.effect("A stranger who knows the address can use up neither the tries of a code nor the code", () =>
    Effect.gen(function* () {
      const email = "owner@example.org"
      yield* registered(email)
      yield* TestClock.adjust("2 minutes")
      const [owner, stranger] = [yield* browser, yield* browser]
      const own = yield* askCode(owner, { email })
      const code = yield* codeTo(email)
      const foreign = yield* askCode(stranger, { email })
      let guess = code
      for (let times = 0; times < 6; times++) {
        guess = wrongCode(guess)
        assert.strictEqual((yield* stranger.post("/sign-in", { email, code: guess })).status, 403)
        assert.strictEqual((yield* enter(stranger, foreign.text, guess)).status, 403)
      }
      // Not even the right code counts on another page, nor on the page of another address.
      const other = yield* askCode(stranger, { email: "stranger@example.org" })
      const page = valueOf(other.text, "page")
      assert.strictEqual((yield* stranger.post("/sign-in", { email, page, code })).status, 403)
      assert.strictEqual((yield* enter(stranger, foreign.text, code)).status, 403)
      assert.strictEqual(stranger.jar.size, 0)
      assert.strictEqual((yield* enter(owner, own.text, code)).status, 303)
    })
  )

  it.effect("Two presses of the first button lead to one page, and a changed address to another", () =>
    Effect.gen(function* () {
      const email = "pressed@example.org"
      const reader = yield* browser
      const page = valueOf((yield* reader.get("/sign-in")).text, "page")
      assert.match(page, /^[0-9A-Za-z]{43}$/)
      const [first, second] = [
        yield* askCode(reader, { email, page }),
        yield* askCode(reader, { email, page })
      ]
      assert.strictEqual(valueOf(first.text, "page"), page)
      assert.strictEqual(valueOf(second.text, "page"), page)
      assert.include(second.text, "We just sent you a code.")
      assert.lengthOf(yield* mailsTo(email), 1)
      const changed = yield* askCode(reader, { email: "changed@example.org", page })
      assert.notStrictEqual(valueOf(changed.text, "page"), page)
      assert.lengthOf(yield* mailsTo("changed@example.org"), 1)
      assert.strictEqual((yield* enter(reader, second.text, yield* codeTo(email))).status, 303)
      // A token that this service cannot have made names no page.
      const forged = yield* askCode(reader, { email: "forged@example.org", page: "x" })
      assert.match(valueOf(forged.text, "page"), /^[0-9A-Za-z]{43}$/)
    })
  )

  it.effect("A second request of a page within a minute keeps its code, and a later one replaces it", () =>
    Effect.gen(function* () {
      const email = "again@example.org"
      yield* registered(email)
      yield* TestClock.adjust("2 minutes")
      const reader = yield* browser
      const page = valueOf((yield* askCode(reader, { email })).text, "page")
      const first = yield* codeTo(email)
      yield* TestClock.adjust("59 seconds")
      const { text } = yield* askCode(reader, { email, page })
      assert.include(text, "We just sent you a code. Enter the newest one, or ask for another in one second.")
      assert.strictEqual(yield* codeTo(email), first)
      // Another browser has a code of its own.
      const other = yield* askCode(yield* browser, { email })
      assert.notInclude(other.text, "just sent")
      const foreign = yield* codeTo(email)
      assert.notStrictEqual(foreign, first)
      yield* TestClock.adjust("2 seconds")
      yield* askCode(reader, { email, page })
      const second = yield* codeTo(email)
      assert.notStrictEqual(second, first)
      assert.strictEqual((yield* enter(reader, text, first)).status, 403)
      const opened = yield* enter(reader, text, second)
      assert.strictEqual(opened.status, 303)
      assert.strictEqual((yield* enter(yield* browser, other.text, foreign)).status, 303)
      // A code that was used is no reason to wait.
      yield* askCode(yield* browser, { email, page })
      assert.notStrictEqual(yield* codeTo(email), second)
      assert.lengthOf(yield* mailsTo(email), 5)
      // A reader who is signed in goes on.
      const address = `/sign-in/code/${valueOf(text, "page")}`
      assert.strictEqual((yield* reader.get(address)).headers.get("location"), "/desk")
    })
  )
})

layer(service(database("test_code_waits"), 1, { rateLimitFactor: 1 }))(
  "a mailbox that was mailed just now",
  (it) => {
    it.effect("A reader hears in how many seconds a code can be requested, and then signs in", () =>
      Effect.gen(function* () {
        const email = "waits@example.org"
        // The newest mail has the code of the registration, which opens no sign-in.
        yield* registered(email)
        yield* TestClock.adjust("17 seconds")
        const reader = yield* browser
        const { address, text } = yield* askCode(reader, { email })
        const said = (page: string) => /<strong class="bad">([^<]*)</.exec(page)?.[1]?.replace("&#39;", "'")
        assert.strictEqual(said(text), "We can't email this address again yet. Ask for a code in 43 seconds.")
        assert.notInclude(text, "spam folder")
        assert.notInclude(text, "just emailed")
        assert.lengthOf(yield* mailsTo(email), 1)
        yield* TestClock.adjust("42 seconds")
        assert.include(said((yield* reader.get(address)).text), "Ask for a code in one second.")
        const again = { email, page: valueOf(text, "page"), back: valueOf(text, "back") }
        const early = yield* askCode(reader, again)
        assert.include(said(early.text), "Ask for a code in one second.")
        yield* TestClock.adjust("1 seconds")
        assert.strictEqual(said((yield* reader.get(address)).text), "You can ask for a code now.")
        const sent = yield* askCode(reader, again)
        assert.isUndefined(said(sent.text))
        assert.include(sent.text, "spam folder")
        assert.strictEqual((yield* enter(reader, sent.text, yield* codeTo(email))).status, 303)
      })
    )

    it.effect("A time in the address that no limit has is not shown", () =>
      Effect.gen(function* () {
        const reader = yield* browser
        const { address } = yield* askCode(reader, { email: "other@example.org" })
        const [page = ""] = address.split("?")
        for (const query of [
          "mailbox=99999999999",
          "recent=x",
          "mailbox=-1",
          "recent=1e3",
          "mailbox=",
          "recent=0"
        ])
          assert.notMatch(
            (yield* reader.get(`${page}?${query}`)).text,
            /Ask for|ask for another|aria-invalid="true"/
          )
      })
    )
  }
)
