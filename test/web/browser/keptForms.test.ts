import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Sealer } from "../../../src/platform/ports/Sealer.ts"
import { registered } from "../../accounts/registrations/flows.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { codeTo } from "../../support/mailbox.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { assertPrivate, type Browser, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { askCode, signIn, valueOf } from "../signIn.ts"

const MARK = `Lovely </textarea><script>alert(1)</script> & "so" 漢字`
const SCRIPT = { accept: "application/json" }

/** An author with a Post, whose number names them. */
const scene = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const { id } = yield* author.published()
  const client = yield* TestClient
  const { body } = yield* client.send("GET", `/api/posts/${id}`)
  return { author, id: id as string, authorId: body.author.id as string }
})
type Scene = Effect.Success<ReturnType<typeof scene>>

/** Returns the reactions, followers, comments and reports of a scene. */
const stateOf = Effect.fnUntraced(function* ({ authorId, id }: Scene) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<Readonly<Record<string, number>>>`
    select (select count(*)::int from reactions where post_id = ${id}) as reactions,
      (select count(*)::int from follows where creator_id = ${authorId} and ended_at is null) as follows,
      (select count(*)::int from comments where post_id = ${id} and content = ${MARK}) as comments,
      (select count(*)::int from reports where reason = ${MARK} and target_id = ${id}) as reports`
  return row!
})
const NOTHING = { reactions: 0, follows: 0, comments: 0, reports: 0 }

const KEY = "5f0c7a52-6f3c-4b0e-9d52-"
let keys = 0

/** Forms that a reader without an account sends. */
const intents = {
  reactions: ({ id }: Scene) => ({ path: `/react/${id}`, fields: { reaction: "heart" }, status: 200 }),
  follows: ({ authorId, id }: Scene) => ({
    path: `/follow/${authorId}`,
    fields: { following: "true", post: id },
    status: 200
  }),
  comments: ({ id }: Scene) => ({
    path: `/respond/${id}`,
    fields: { key: `${KEY}${String(++keys).padStart(12, "0")}`, text: MARK },
    status: 401
  }),
  reports: ({ id }: Scene) => ({
    path: `/report/${id}`,
    fields: { key: `${KEY}${String(++keys).padStart(12, "0")}`, text: MARK },
    status: 401
  })
}
type Intent = keyof typeof intents

/** Asserts that no address on a page has the form or its text, and returns the form as the page carries it. */
const carriedBy = ({ headers, text }: TestAnswer) => {
  const kept = valueOf(text, "kept")
  assert.match(kept, /^[\w-]{100,}$/)
  validated(text)
  assert.isNull(headers.get("location"))
  for (const [address] of text.matchAll(/(?:href|action|src)="[^"]*"/g)) {
    assert.notInclude(address, kept.slice(0, 20))
    assert.notInclude(address, "Lovely")
  }
  return kept
}

/** Presses a button, with the script of the page or without one, and returns the page of the sign-in. */
const press = Effect.fnUntraced(function* (reader: Browser, it: Scene, intent: Intent, hasScript: boolean) {
  const { fields, path, status } = intents[intent](it)
  if (hasScript) assert.strictEqual((yield* reader.post(path, fields, SCRIPT)).status, 401)
  const asked = yield* reader.post(path, fields)
  assert.strictEqual(asked.status, status, asked.text)
  assertPrivate(asked)
  carriedBy(asked)
  if (status === 401) assert.include(asked.text, "What you wrote")
  assert.deepStrictEqual(yield* stateOf(it), NOTHING)
  return { asked, path }
})

/** Ways to sign in, each through all its pages. */
const ways = {
  wallet: Effect.fnUntraced(function* (reader: Browser, number: number, asked: TestAnswer) {
    return (yield* signIn(reader, number + 1, valueOf(asked.text, "back"), carriedBy(asked))).answer
  }),
  mail: Effect.fnUntraced(function* (reader: Browser, number: number, asked: TestAnswer) {
    const email = `reader${number}@example.org`
    yield* registered(email)
    yield* TestClock.adjust("2 minutes")
    const fields = { back: valueOf(asked.text, "back"), kept: carriedBy(asked), email }
    const sent = yield* askCode(reader, fields)
    const page = valueOf(sent.text, "page")
    const wrong = yield* reader.post("/sign-in", { ...fields, page, kept: carriedBy(sent), code: "x" })
    assert.strictEqual(wrong.status, 403)
    const code = yield* codeTo(email)
    return yield* reader.post("/sign-in", { ...fields, page, kept: carriedBy(wrong), code })
  }),
  "sign-up": Effect.fnUntraced(function* (reader: Browser, number: number, asked: TestAnswer) {
    const email = `new${number}@example.org`
    const fields = { back: valueOf(asked.text, "back"), kept: carriedBy(asked) }
    const begun = yield* reader.post("/sign-in", fields)
    assert.strictEqual(begun.status, 200)
    const wrong = yield* reader.post("/sign-in", { ...fields, kept: carriedBy(begun), email: "x" })
    assert.strictEqual(wrong.status, 400)
    const sent = yield* askCode(reader, { ...fields, kept: carriedBy(wrong), email })
    return yield* reader.post("/sign-in", {
      ...fields,
      email,
      page: valueOf(sent.text, "page"),
      kept: carriedBy(sent),
      code: yield* codeTo(email)
    })
  })
}

/** Names an account whose comment waits for the name. */
const named = Effect.fnUntraced(function* (reader: Browser, number: number, answer: TestAnswer) {
  if (answer.status === 303) return answer
  assert.strictEqual(answer.status, 409, answer.text)
  assert.include(answer.text, "Choose a name and a handle first. Then we&#39;ll post your comment.")
  const fields = { back: valueOf(answer.text, "back"), name: `Nele ${number}` }
  const refused = yield* reader.post("/profile", { ...fields, kept: carriedBy(answer), handle: "x" })
  assert.strictEqual(refused.status, 409)
  const handle = `nele_${number}`
  return yield* reader.post("/profile", { ...fields, kept: carriedBy(refused), handle })
})

const SAID = {
  reactions: "Saved.",
  follows: "Saved.",
  comments: "Your comment is public.",
  reports: "Our moderators will look into it."
}

layer(service(database("test_web_kept_forms"), 1, { adminToken: ADMIN_TOKEN }))(
  "What a reader pressed before a sign-in",
  (it) => {
    let number = 100
    for (const [way, signInBy] of Object.entries(ways))
      for (const intent of Object.keys(intents) as ReadonlyArray<Intent>)
        for (const hasScript of [true, false]) {
          const how = hasScript ? "with a script" : "without one"
          const first = (number += 10)
          it.effect(`The ${intent} of a page are saved after a sign-in by ${way}, once, ${how}`, () =>
            Effect.gen(function* () {
              const of = yield* scene(first)
              const reader = yield* browser
              const { asked, path } = yield* press(reader, of, intent, hasScript)
              const done = yield* named(reader, first, yield* signInBy(reader, first, asked))
              assert.strictEqual(done.status, 303, done.text)
              assert.deepStrictEqual(yield* stateOf(of), { ...NOTHING, [intent]: 1 })
              const told = yield* reader.get(done.headers.get("location")!)
              assert.include(told.text, SAID[intent])

              // The same form again does nothing, also after its state was changed.
              yield* reader.post(`/react/${of.id}`, { reaction: "none" })
              yield* reader.post(`/follow/${of.authorId}`, { following: "none" })
              const after = yield* stateOf(of)
              const again = yield* reader.post(path, { kept: valueOf(asked.text, "kept") })
              assert.strictEqual(again.status, 409)
              validated(again.text)
              assert.include(again.text, "We didn&#39;t send that again")
              assert.deepStrictEqual(yield* stateOf(of), after)
            })
          )
        }

    it.effect(
      "A form that was changed, is too old, or is of another page does nothing, and the page says so",
      () =>
        Effect.gen(function* () {
          const of = yield* scene(1)
          const other = yield* scene(3)
          const reader = yield* browser
          const { asked } = yield* press(reader, of, "reactions", false)
          const kept = carriedBy(asked)
          const changed = `${kept.slice(0, 40)}${kept[40] === "A" ? "B" : "A"}${kept.slice(41)}`
          for (const wrong of [changed, "", "x", kept.slice(0, -4), "A".repeat(60_000)]) {
            const { answer } = yield* signIn(reader, 2, "/newest", wrong)
            assert.strictEqual(answer.status, 409, wrong.slice(0, 50))
            validated(answer.text)
            assert.include(answer.text, "You&#39;re signed in")
            assert.include(answer.text, 'href="/newest"')
          }
          for (const path of [
            `/react/${other.id}`,
            `/respond/${of.id}`,
            "/desk/key",
            `/read/${of.id}/account`
          ]) {
            const refused = yield* reader.post(path, { kept, reaction: "heart" })
            assert.strictEqual(refused.status, 409, path)
          }
          yield* TestClock.adjust("1 hour")
          assert.strictEqual((yield* reader.post(`/react/${of.id}`, { kept })).status, 409)
          const { answer } = yield* signIn(yield* browser, 2, "/newest", kept)
          assert.include(answer.text, "took too long")
          assert.deepStrictEqual(yield* stateOf(of), NOTHING)
          assert.deepStrictEqual(yield* stateOf(other), NOTHING)
        })
    )

    it.effect("A value that was sealed for another use is no form", () =>
      Effect.gen(function* () {
        const reader = yield* browser
        const sealer = yield* Sealer
        const sealed = Buffer.from(yield* sealer.seal("417070")).toString("base64url")
        const { answer } = yield* signIn(reader, 2, "/newest", sealed)
        assert.strictEqual(answer.status, 409)
      })
    )

    it.effect("A form of another site waits for no sign-in", () =>
      Effect.gen(function* () {
        const of = yield* scene(5)
        const reader = yield* browser
        const { asked, path } = yield* press(reader, of, "follows", false)
        for (const target of [path, "/sign-in", "/profile"]) {
          const forged = yield* reader.post(
            target,
            { kept: carriedBy(asked) },
            { "sec-fetch-site": "cross-site" }
          )
          assert.strictEqual(forged.status, 403, target)
          assert.notInclude(forged.text, 'name="kept"')
        }
        assert.deepStrictEqual(yield* stateOf(of), NOTHING)
      })
    )

    it.effect("The rules of a button hold after a sign-in, too", () =>
      Effect.gen(function* () {
        const of = yield* scene(7)
        const reader = yield* browser
        for (const intent of ["reactions", "follows", "reports"] as const) {
          const { asked } = yield* press(yield* browser, of, intent, false)
          const { answer } = yield* signIn(reader, 7, "/", carriedBy(asked))
          assert.strictEqual(answer.status, 409, intent)
          assert.match(answer.text, /yours|your own|This is you/)
          assert.include((yield* reader.get("/sign-out")).text, "(this browser)")
        }
        yield* of.author.patch(of.id, { commentsEnabled: false })
        const { handle } = yield* authorOf(8)
        const { asked } = yield* press(yield* browser, of, "comments", false)
        const { answer } = yield* signIn(reader, 8, "/", carriedBy(asked))
        assert.strictEqual(answer.status, 409)
        assert.include(answer.text, "turned off comments")
        assert.strictEqual(validated(answer.text).find(({ tag }) => tag === "textarea")!.text, MARK)
        const restricting = (yield* administrator())["accounts.restrict"]
        yield* restricting({ handle, actor: "Mo", reason: "Sells what others wrote" })
        const restricted = yield* press(yield* browser, of, "reactions", false)
        const said = (yield* signIn(yield* browser, 8, "/", carriedBy(restricted.asked))).answer
        assert.strictEqual(said.status, 403)
        assert.include(said.text, "Your account is restricted")
        yield* of.author.unpublish(of.id)
        const late = yield* press(yield* browser, of, "reactions", false)
        yield* authorOf(18)
        assert.strictEqual((yield* signIn(reader, 18, "/", carriedBy(late.asked))).answer.status, 404)
        assert.deepStrictEqual(yield* stateOf(of), NOTHING)
      })
    )

    it.effect("Two tabs that send one form at the same moment send it once", () =>
      Effect.gen(function* () {
        const of = yield* scene(9)
        const reader = yield* browser
        const { asked, path } = yield* press(reader, of, "reactions", false)
        yield* authorOf(10)
        yield* signIn(reader, 10)
        const send = reader.post(path, { kept: carriedBy(asked) })
        const answers = yield* Effect.all([send, send, send, send], { concurrency: 4 })
        assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [303, 409, 409, 409])
      })
    )

    it.effect("A form that was sent without cookies waits again, with its text", () =>
      Effect.gen(function* () {
        const of = yield* scene(11)
        const { asked, path } = yield* press(yield* browser, of, "comments", false)
        const again = yield* (yield* browser).post(path, { kept: carriedBy(asked), code: "1" })
        assert.strictEqual(again.status, 401)
        const reader = yield* browser
        yield* authorOf(12)
        const { answer } = yield* signIn(reader, 12, "/", carriedBy(again))
        assert.strictEqual(answer.status, 303, answer.text)
        assert.strictEqual((yield* stateOf(of))["comments"], 1)
      })
    )

    it.effect("A comment waits for a name also when the session ends before the name is saved", () =>
      Effect.gen(function* () {
        const of = yield* scene(13)
        const reader = yield* browser
        const { asked } = yield* press(reader, of, "comments", false)
        const unnamed = (yield* signIn(reader, 14, "/", carriedBy(asked))).answer
        const fields = { name: "Ida", handle: "ida_writes", back: "/" }
        yield* reader.post("/sign-out")
        const ended = yield* reader.post("/profile", { ...fields, kept: carriedBy(unnamed) })
        assert.strictEqual(ended.status, 401)
        const asksAgain = (yield* signIn(reader, 14, "/", carriedBy(ended))).answer
        const done = yield* reader.post("/profile", { ...fields, kept: carriedBy(asksAgain) })
        assert.strictEqual(done.status, 303, done.text)
        assert.strictEqual((yield* stateOf(of))["comments"], 1)
      })
    )

    it.effect("A comment of 2,000 long characters is not too long for a form, and waits like any other", () =>
      Effect.gen(function* () {
        const of = yield* scene(15)
        yield* authorOf(16)
        const reader = yield* browser
        const text = "𠮷".repeat(2_000)
        const asked = yield* reader.post(`/respond/${of.id}`, { key: `${KEY}000000000777`, text })
        assert.strictEqual(asked.status, 401)
        const { answer } = yield* signIn(reader, 16, "/", carriedBy(asked))
        assert.strictEqual(answer.status, 303, answer.text)
        const longer = yield* (yield* browser).post(`/respond/${of.id}`, {
          key: `${KEY}000000000778`,
          text: "x".repeat(50_000)
        })
        assert.strictEqual(longer.status, 401)
        assert.include(longer.text, "go back, and send it again")
        assert.notInclude(longer.text, 'name="kept"')
      })
    )
  }
)
