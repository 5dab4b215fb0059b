import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../../layers/testing/MailerMemory.ts"
import { SubscriberImports } from "../../../../src/engagement/subscribers/imports/SubscriberImports.ts"
import { Subscribers } from "../../../../src/engagement/subscribers/Subscribers.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import { ADMIN_TOKEN, administrator } from "../../../support/actors/administrator.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { database } from "../../../support/Database.ts"
import { succeeding } from "../../../support/derivedClient.ts"
import { mailsTo } from "../../../support/mailbox.ts"
import { service, TestClient } from "../../../support/TestClient.ts"
import { twoAssemblies } from "../../../support/twoServices.ts"
import { begin } from "../../notifications/mails/mailing.ts"
import { postMails, send } from "../mailing.ts"
import { ask, confirmLinks, open, subscribed } from "../readers.ts"

const LIST = {
  source: "Ghost",
  consent: { statement: "They signed up on ada.example and confirmed by email.", attested: true }
}

const bring = Effect.fnUntraced(function* (
  token: string,
  addresses: ReadonlyArray<string>,
  list: object = {}
) {
  const body = { ...LIST, csv: addresses.join("\n"), ...list }
  return yield* (yield* TestClient).send("POST", "/api/v1/subscribers/imports", { token, body })
})

/** Brings a list that must be taken, and returns the answer. */
const brought = Effect.fnUntraced(function* (token: string, addresses: ReadonlyArray<string>) {
  const answer = yield* bring(token, addresses)
  assert.strictEqual(answer.status, 201, answer.text)
  return JSON.parse(answer.text)
})

/** Asks the readers of lists who are due, and sends the mails. */
const askReaders = Effect.gen(function* () {
  const { claim, step } = yield* SubscriberImports
  const at = yield* now
  const due = yield* claim({ at, leaseUntil: later(at, 60_000), limit: 100 })
  yield* Effect.forEach(due, step, { discard: true })
  yield* send
})

const listOf = Effect.fnUntraced(function* (token: string) {
  const client = yield* succeeding(token)
  const { data } = yield* client(({ subscribers }) => subscribers.list({ query: { limit: 100 } }))
  return data.map(({ email, source, state }) => `${email} ${state} ${source}`).toSorted()
})

layer(service(database("test_subscriber_imports"), 1, { adminToken: ADMIN_TOKEN, holdsNewAccounts: false }))(
  "an import of readers",
  (it) => {
    it.effect("An import asks each new reader once, and leaves those alone who are known or left", () =>
      Effect.gen(function* () {
        yield* begin
        const author = yield* authorOf(1)
        yield* subscribed(author.handle, "here@example.org")
        const csv = [
          "email,status",
          "Here@example.org,subscribed",
          "new@example.org,subscribed",
          "left@example.org,unsubscribed",
          "nothing,subscribed"
        ]
        const answer = yield* brought(author.accessToken, csv)
        assert.deepInclude(answer, { rows: 4, accepted: 1, known: 1 })
        assert.deepStrictEqual(answer.refused, [
          { line: 4, code: "unsubscribed" },
          { line: 5, code: "invalid" }
        ])
        assert.deepStrictEqual(yield* listOf(author.accessToken), [
          "here@example.org active form",
          "left@example.org ended import",
          "new@example.org pending import"
        ])
        yield* askReaders
        yield* TestClock.adjust("1 hour")
        yield* askReaders
        assert.lengthOf(yield* confirmLinks("here@example.org"), 1)
        assert.lengthOf(yield* confirmLinks("left@example.org"), 0)
        const [link = "", ...more] = yield* confirmLinks("new@example.org")
        assert.lengthOf(more, 0)
        for (const _ of [1, 2]) assert.strictEqual((yield* open("POST", link)).status, 200)
        assert.include(yield* listOf((yield* authorOf(1)).accessToken), "new@example.org active import")
      })
    )

    it.effect(
      "A reader ends the request of an import with one click, and no later import brings them back",
      () =>
        Effect.gen(function* () {
          yield* begin
          const author = yield* authorOf(2)
          yield* brought(author.accessToken, ["refuser@example.org"])
          yield* askReaders
          const mail = (yield* (yield* MailerMemory).sent).findLast(
            ({ to }) => to.address === "refuser@example.org"
          )
          const end = mail?.unsubscribeUrl ?? ""
          assert.include(mail?.html ?? "", `<a href="${end}">Unsubscribe</a>`)
          assert.include((yield* open("GET", end)).text, "unless you confirm")
          assert.strictEqual((yield* open("POST", end)).status, 200)
          const [link = ""] = yield* confirmLinks("refuser@example.org")
          // Erased, but for a hash.
          yield* TestClock.adjust("31 days")
          yield* (yield* Subscribers).sweep
          const { accessToken } = yield* authorOf(2)
          assert.deepStrictEqual(yield* listOf(accessToken), [])
          const again = yield* brought(accessToken, ["Refuser@example.org", "fresh@example.org"])
          assert.deepInclude(again, { rows: 2, accepted: 1, known: 1 })
          assert.deepStrictEqual(yield* listOf(accessToken), ["fresh@example.org pending import"])
          assert.strictEqual((yield* open("POST", link)).status, 404)
          // The reader alone may come back.
          assert.strictEqual((yield* ask(author.handle, "refuser@example.org")).status, 202)
          assert.lengthOf(yield* confirmLinks("refuser@example.org"), 2)
        })
    )

    it.effect("An author asks 500 readers in a day, over all imports, and the rest on the next days", () =>
      Effect.gen(function* () {
        yield* begin
        const author = yield* authorOf(3)
        const token = Effect.map(authorOf(3), ({ accessToken }) => accessToken)
        const memory = yield* MailerMemory
        const asked = Effect.gen(function* () {
          const before = (yield* memory.sent).length
          yield* askReaders
          return (yield* memory.sent).slice(before).filter(({ to }) => to.address.startsWith("many")).length
        })
        const many = (from: number, to: number) =>
          Array.from({ length: to - from }, (_, n) => `many${from + n}@example.org`)
        yield* brought(author.accessToken, many(0, 450))
        assert.strictEqual(yield* asked, 450)
        yield* TestClock.adjust("2 hours")
        yield* brought(yield* token, many(450, 560))
        assert.strictEqual(yield* asked, 50)
        yield* TestClock.adjust("21 hours")
        assert.strictEqual(yield* asked, 0)
        yield* TestClock.adjust("2 hours")
        assert.strictEqual(yield* asked, 60)
        yield* TestClock.adjust("2 hours")
        assert.strictEqual(yield* asked, 0)
      })
    )

    it.effect(
      "A reader who subscribes while an import waits gets the mail immediately, and belongs to no import",
      () =>
        Effect.gen(function* () {
          yield* begin
          const author = yield* authorOf(4)
          const { id } = yield* brought(author.accessToken, ["eager@example.org", "other@example.org"])
          yield* ask(author.handle, "eager@example.org")
          assert.lengthOf(yield* confirmLinks("eager@example.org"), 1)
          assert.include(yield* listOf(author.accessToken), "eager@example.org pending form")
          const admin = yield* administrator()
          assert.strictEqual((yield* admin["readers.refuse"]({ importId: id, reason: "Bought" })).readers, 1)
          assert.deepStrictEqual(yield* listOf(author.accessToken), ["eager@example.org pending form"])
        })
    )

    it.effect("The operator lists imports that wait, and approves or refuses each once, with a reason", () =>
      Effect.gen(function* () {
        yield* begin
        const [good, bad] = yield* Effect.all([authorOf(5), authorOf(6)])
        const first = yield* brought(good.accessToken, [
          "one@example.org",
          "two@example.org",
          "three@example.org"
        ])
        const second = yield* brought(bad.accessToken, ["bought@example.org"])
        yield* subscribed((yield* authorOf(7)).handle, "elsewhere@example.org")
        const admin = yield* administrator()
        const page = yield* admin["readers.list"]({ limit: 1 })
        assert.lengthOf(page.imports, 1)
        const rest = yield* admin["readers.list"]({ cursor: page.nextCursor ?? "" })
        const found = [...page.imports, ...rest.imports].find(({ importId }) => importId === first.id)
        assert.deepInclude(found, { handle: good.handle, source: "Ghost", rows: 3, waiting: 3 })
        // A reader who leaves meanwhile stays away.
        const wire = yield* succeeding(good.accessToken)
        const { data } = yield* wire(({ subscribers }) => subscribers.list({ query: {} }))
        const three = data.find(({ email }) => email.startsWith("three"))
        assert.isDefined(three)
        const client = yield* TestClient
        yield* client.send("DELETE", `/api/v1/subscribers/${three.id}`, { token: good.accessToken })

        const because = { reason: "I looked at the list", actor: "Mo" }
        assert.deepStrictEqual(yield* admin["readers.approve"]({ importId: first.id, ...because }), {
          importId: first.id,
          readers: 2
        })
        assert.strictEqual((yield* admin["readers.refuse"]({ importId: second.id, ...because })).readers, 1)
        for (const decide of [admin["readers.approve"], admin["readers.refuse"]])
          assert.strictEqual(
            (yield* Effect.flip(decide({ importId: first.id, ...because })))._tag,
            "SubscriberImportNotFound"
          )
        assert.deepStrictEqual(yield* listOf(good.accessToken), [
          "one@example.org active import",
          "three@example.org ended import",
          "two@example.org active import"
        ])
        assert.deepStrictEqual(yield* listOf(bad.accessToken), [])
        yield* askReaders
        for (const email of ["one@example.org", "bought@example.org"])
          assert.lengthOf(yield* mailsTo(email), 0)
        const { entries } = yield* admin["moderation.audit.list"]({})
        assert.deepStrictEqual(
          entries.slice(0, 2).map(({ action, actor, subjectId }) => [action, actor, subjectId]),
          [
            ["readers.refuse", "Mo", second.id],
            ["readers.approve", "Mo", first.id]
          ]
        )
        // Such a reader followed no link of ours, and the page that ends the mail says no such thing.
        yield* good.published()
        yield* TestClock.adjust("6 minutes")
        const mail = (yield* postMails).find(({ to }) => to.address === "one@example.org")
        const leaving = yield* open("GET", mail?.unsubscribeUrl ?? "")
        assert.include(leaving.text, "brought your address from Ghost.")
        assert.notInclude(leaving.text, "You confirmed this")
        const unknown = yield* Effect.flip(admin["readers.list"]({ cursor: "x" }))
        assert.strictEqual(unknown._tag, "InvalidCursor")
      })
    )

    it.effect("An import is refused without a statement, with a key, and beyond its bounds", () =>
      Effect.gen(function* () {
        yield* begin
        const author = yield* authorOf(8)
        for (const consent of [
          { statement: LIST.consent.statement, attested: false },
          { statement: "Too short", attested: true },
          { statement: "x".repeat(501), attested: true }
        ])
          assert.strictEqual((yield* bring(author.accessToken, ["a@example.org"], { consent })).status, 422)
        assert.strictEqual((yield* bring(author.key, ["a@example.org"])).status, 401)
        assert.strictEqual((yield* bring(author.accessToken, ["name", "Ada"])).status, 422)
        assert.strictEqual((yield* bring(author.accessToken, ["x".repeat(1024 * 1024)])).status, 413)
        assert.deepStrictEqual(yield* listOf(author.accessToken), [])
      })
    )

    it.effect("A restricted author asks no one", () =>
      Effect.gen(function* () {
        yield* begin
        const author = yield* authorOf(9)
        yield* brought(author.accessToken, ["unasked@example.org"])
        const admin = yield* administrator()
        yield* admin["accounts.restrict"]({ handle: author.handle, reason: "Spam" })
        yield* askReaders
        assert.lengthOf(yield* mailsTo("unasked@example.org"), 0)
        assert.include([401, 403], (yield* bring(author.accessToken, ["more@example.org"])).status)
      })
    )
  }
)

layer(
  service(database("test_subscriber_imports_limits"), 1, { rateLimitFactor: 1, holdsNewAccounts: false })
)("the limits of imports", (it) => {
  it.effect("A mailbox is asked three times in a day, however many authors bring it", () =>
    Effect.gen(function* () {
      yield* begin
      for (const n of [10, 11, 12, 13])
        yield* brought((yield* authorOf(n)).accessToken, [`popular+${n}@example.org`])
      yield* askReaders
      const sent = Effect.map(
        Effect.flatMap(MailerMemory, (memory) => memory.sent),
        (mails) => mails.filter(({ to }) => to.address.startsWith("popular")).length
      )
      assert.strictEqual(yield* sent, 3)
      yield* TestClock.adjust("25 hours")
      yield* askReaders
      assert.strictEqual(yield* sent, 4)
    })
  )

  it.effect("An author brings one list an hour, and a list that is refused does not count", () =>
    Effect.gen(function* () {
      yield* begin
      const { accessToken } = yield* authorOf(1)
      assert.strictEqual((yield* bring(accessToken, ["no address"])).status, 422)
      yield* brought(accessToken, ["a@example.org"])
      assert.strictEqual((yield* bring(accessToken, ["b@example.org"])).status, 429)
      yield* TestClock.adjust("1 hour")
      const { accessToken: renewed } = yield* authorOf(1)
      yield* brought(renewed, ["b@example.org"])
    })
  )
})

layer(service(database("test_subscriber_imports_new"), 1, { holdsNewAccounts: true }))(
  "the readers of a new account",
  (it) => {
    it.effect("A new account brings no readers until it is a day old", () =>
      Effect.gen(function* () {
        yield* begin
        const { accessToken } = yield* authorOf(1)
        const answer = yield* bring(accessToken, ["a@example.org"])
        assert.strictEqual(answer.status, 403)
        assert.include(answer.text, "Verify your email address first")
        const sql = yield* SqlClient.SqlClient
        assert.deepStrictEqual(yield* sql`select id from subscriber_imports`, [])
        yield* TestClock.adjust("1 day")
        const { accessToken: renewed } = yield* authorOf(1)
        yield* brought(renewed, ["a@example.org"])
      })
    )
  }
)

describe("imports in two processes", () => {
  it.effect("Two processes ask 500 readers of an author together, and each reader once", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_subscriber_imports_race", { holdsNewAccounts: false })
      const [first] = processes
      yield* Effect.gen(function* () {
        yield* begin
        const { accessToken } = yield* authorOf(1)
        for (const half of [0, 1])
          yield* brought(
            accessToken,
            Array.from({ length: 300 }, (_, n) => `raced${half}-${n}@example.org`)
          )
      }).pipe(Effect.provideContext(first))
      const at = yield* now
      const due = yield* Context.get(first, SubscriberImports).claim({
        at,
        leaseUntil: later(at, 60_000),
        limit: 10
      })
      assert.lengthOf(due, 2)
      yield* Effect.forEach(
        [...due, ...due],
        (row, n) => Context.get(processes[n % 3 === 0 ? 0 : 1], SubscriberImports).step(row),
        { concurrency: 4, discard: true }
      )
      const sql = Context.get(first, SqlClient.SqlClient)
      const [row] = yield* sql<{ readonly mails: number; readonly readers: number }>`
        select count(*)::int as mails, count(distinct reader_id)::int as readers from mails where body_id is not null`
      assert.deepStrictEqual(row, { mails: 500, readers: 500 })
    })
  )
})
