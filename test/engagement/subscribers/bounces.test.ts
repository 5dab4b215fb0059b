import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { readReport } from "../../../src/engagement/subscribers/bounces/bounceReport.ts"
import { Subscribers } from "../../../src/engagement/subscribers/Subscribers.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { begin, mailed, personOf, typesTo } from "../notifications/mails/mailing.ts"
import { postMails } from "./mailing.ts"
import { ask, confirmLinks, open, subscribed } from "./readers.ts"
import { recorded } from "./recordedReports.ts"

const stateOf = Effect.fnUntraced(function* (email: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly state: string }>`
    select state from subscribers where address = ${email} order by id`
  return rows.map(({ state }) => state).join()
})

/** An author with a reader, whose posts arrive or come back. */
const castOf = Effect.fnUntraced(function* (number: number, email: string) {
  yield* begin
  const author = yield* authorOf(number)
  yield* subscribed(author.handle, email)
  const calls = yield* administrator()
  /** Publishes a post, and returns the token of the mail about it. */
  const mail = Effect.gen(function* () {
    yield* author.published()
    yield* TestClock.adjust("6 minutes")
    const sent = (yield* postMails).find(({ to }) => to.address === email)
    return sent?.bounceToken ?? ""
  })
  /** Hands in the report of a server, as the command does. */
  const report = Effect.fnUntraced(function* (server: string, token: string) {
    const { kind, token: named = "" } = readReport(recorded(server, token))
    assert.isDefined(kind)
    return (yield* calls["mail.bounce"]({ token: named, kind })).isReader
  })
  return { author, mail, report }
})

layer(service(database("test_bounces"), 1, { adminToken: ADMIN_TOKEN }))(
  "reports about mail to readers",
  (it) => {
    it.effect("A reader is bounced by three mails in a row that come back, and by no fewer", () =>
      Effect.gen(function* () {
        const email = "gone@example.org"
        const { mail, report } = yield* castOf(1, email)
        const states: Array<string> = []
        // The third mail arrives, so the count begins again.
        for (const server of ["postfix", "exim", undefined, "sendmail", "gmail", "exchange"]) {
          const token = yield* mail
          assert.match(token, /^[\da-f]{48}$/)
          if (server !== undefined) assert.isTrue(yield* report(server, token))
          states.push(yield* stateOf(email))
        }
        assert.deepStrictEqual(states, ["active", "active", "active", "active", "active", "bounced"])
        assert.strictEqual(yield* mail, "")
      })
    )

    it.effect("A report that is handed in again counts once", () =>
      Effect.gen(function* () {
        const email = "twice@example.org"
        const { mail, report } = yield* castOf(2, email)
        const token = yield* mail
        for (const server of ["postfix", "postfix", "exim", "gmail"]) yield* report(server, token)
        assert.strictEqual(yield* stateOf(email), "active")
        yield* mail
        yield* Effect.all([report("postfix", token), report("postfix", token), report("exim", token)], {
          concurrency: "unbounded"
        })
        assert.strictEqual(yield* stateOf(email), "active")
      })
    )

    it.effect("A complaint ends every subscription of the mailbox, and the mails to its account", () =>
      Effect.gen(function* () {
        yield* begin
        const reader = yield* personOf(3)
        const { author, mail, report } = yield* castOf(4, reader.email)
        const other = yield* personOf(5)
        yield* subscribed(other.author.handle, reader.email)
        yield* reader.follow(other.id, { notify_new_posts: true, notify_channel_email: true })
        const token = yield* mail
        for (const _ of [1, 2]) assert.isTrue(yield* report("feedbackLoop", token))
        assert.strictEqual(yield* stateOf(reader.email), "complained,complained")
        yield* other.author.published()
        yield* author.published()
        yield* TestClock.adjust("6 minutes")
        assert.deepStrictEqual(typesTo(yield* mailed, reader.email), [])
        assert.lengthOf(yield* postMails, 0)
      })
    )

    it.effect("A mailbox that complained gets no mail to confirm, with the same answer", () =>
      Effect.gen(function* () {
        const email = "spam@example.org"
        const { author, mail, report } = yield* castOf(6, email)
        const [link = ""] = yield* confirmLinks(email)
        yield* report("feedbackLoop", yield* mail)
        yield* TestClock.adjust("40 days")
        yield* (yield* Subscribers).sweep
        const other = yield* authorOf(7)
        const answers = yield* Effect.forEach([author.handle, other.handle], (handle) => ask(handle, email))
        const usual = yield* ask(other.handle, "usual@example.org")
        assert.deepStrictEqual(
          answers.map(({ status, text }) => [status, text]),
          answers.map(() => [202, usual.text])
        )
        assert.lengthOf(yield* confirmLinks(email), 1)
        assert.strictEqual((yield* open("POST", link)).status, 404)
        assert.include(yield* stateOf(email), "complained")
      })
    )

    it.effect(
      "A report with a foreign or changed token changes nothing, and one of another caller is refused",
      () =>
        Effect.gen(function* () {
          const email = "stays@example.org"
          const { mail, report } = yield* castOf(8, email)
          const token = yield* mail
          const foreign = `${token.slice(0, 32)}${"0".repeat(16)}`
          const of = `f${token.slice(1)}`
          for (const it of [foreign, of, "0".repeat(48), "f".repeat(48)])
            assert.isFalse(yield* report("feedbackLoop", it), it)
          const stranger = yield* administrator("x".repeat(40))
          const refusal = yield* Effect.flip(stranger["mail.bounce"]({ token, kind: "complaint" }))
          assert.strictEqual(refusal._tag, "NotAdministrator")
          assert.strictEqual(yield* stateOf(email), "active")
        })
    )

    it.effect("A complaint shows in the author's list as such", () =>
      Effect.gen(function* () {
        const email = "listed@example.org"
        const { author, mail, report } = yield* castOf(9, email)
        yield* report("feedbackLoop", yield* mail)
        const client = yield* TestClient
        const { body } = yield* client.send("GET", "/api/v1/subscribers?state=complained", {
          token: author.accessToken
        })
        assert.deepInclude(body.data[0], { email, state: "complained" })
        assert.deepStrictEqual(body.counts, { pending: 0, active: 0 })
      })
    )
  }
)
