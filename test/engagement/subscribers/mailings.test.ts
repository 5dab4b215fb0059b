import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../layers/testing/MailerMemory.ts"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { Mailings } from "../../../src/engagement/subscribers/mailings/Mailings.ts"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { MailRejected, MailUnavailable } from "../../../src/platform/ports/Mailer.ts"
import { Withdrawals } from "../../../src/publishing/posts/withdrawal/Withdrawals.ts"
import { inSeconds, publishAllDue, schedulerOf } from "../../publishing/posts/schedules/scheduling.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { begin, mailed, personOf, typesTo } from "../notifications/mails/mailing.ts"
import { postMails, prepare, send } from "./mailing.ts"
import { open, subscribed } from "./readers.ts"

/** An author with readers. */
const castOf = Effect.fnUntraced(function* (number: number, ...readers: ReadonlyArray<string>) {
  yield* begin
  const author = yield* authorOf(number)
  for (const reader of readers) yield* subscribed(author.handle, reader)
  const client = yield* TestClient
  const mailing = (id: string) =>
    Effect.map(client.send("GET", `/api/v1/posts/${id}/mailing`, { token: author.key }), ({ body }) => body)
  const act = (id: string, action: string) =>
    client.send("POST", `/api/v1/posts/${id}/mailing`, { token: author.key, body: { action } })
  return { author, client, mailing, act }
})

const MARKER = "only-buyers-read-this"

layer(service(database("test_mailings")))("the mail about a post", (it) => {
  it.effect("The mail of a post leaves five minutes after the first publication, once for each reader", () =>
    Effect.gen(function* () {
      const { author, mailing } = yield* castOf(1, "one@example.org", "two@example.org")
      const { id } = yield* author.published()
      assert.lengthOf(yield* postMails, 0)
      assert.include(yield* mailing(id), { state: "waiting", recipients: 2, sent: 0 })
      yield* TestClock.adjust("5 minutes")
      yield* prepare
      assert.include(yield* mailing(id), { state: "sending", recipients: 2, sent: 0 })
      const mails = yield* postMails
      assert.sameMembers(
        mails.map(({ to }) => to.address),
        ["one@example.org", "two@example.org"]
      )
      assert.lengthOf(new Set(mails.map(({ unsubscribeUrl }) => unsubscribeUrl)), 2)
      assert.include(yield* mailing(id), { state: "sent", recipients: 2, sent: 2, failed: 0 })
      yield* author.send("POST", `/${id}/unpublish`, {})
      yield* author.publish(id, "again")
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(yield* postMails, 0)
      const page = yield* open("POST", mails[0]?.unsubscribeUrl ?? "")
      assert.strictEqual(page.status, 200)
    })
  )

  it.effect("The mail of a post never has a word of the part for buyers", () =>
    Effect.gen(function* () {
      const { author } = yield* castOf(2, "free@example.org")
      const { id } = yield* author.draft({
        title: "For sale",
        freeContentMarkdown: "Everyone reads **this**.",
        paidContentMarkdown: MARKER,
        enablePaywall: true,
        priceXno: "0.25"
      })
      yield* author.publish(id)
      yield* TestClock.adjust("6 minutes")
      const [mail] = yield* postMails
      assert.isDefined(mail)
      assert.notInclude(JSON.stringify(mail), MARKER)
      assert.include(mail.html, "Keep reading for 0.25 XNO")
      assert.include(mail.text, "Everyone reads **this**.")
      const sql = yield* SqlClient.SqlClient
      const rows =
        yield* sql`select id from mailings where html like ${`%${MARKER}%`} or text like ${`%${MARKER}%`}`
      assert.lengthOf(rows, 0)
    })
  )

  it.effect("The mail of a post is taken back while it waits, and stops while it is sent", () =>
    Effect.gen(function* () {
      const { act, author, mailing } = yield* castOf(3, "a@example.org", "b@example.org")
      const first = yield* author.published()
      assert.strictEqual((yield* act(first.id, "cancel")).status, 202)
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(yield* postMails, 0)
      assert.include(yield* mailing(first.id), { state: "cancelled" })
      const second = yield* author.published()
      yield* act(second.id, "send_now")
      yield* prepare
      yield* act(second.id, "cancel")
      assert.lengthOf(yield* postMails, 0)
    })
  )

  it.effect(
    "The mail of a post does not leave for a post that is no longer public, nor to a reader who left meanwhile",
    () =>
      Effect.gen(function* () {
        const { act, author, mailing } = yield* castOf(4, "stays@example.org", "leaves@example.org")
        const first = yield* author.published()
        yield* author.send("POST", `/${first.id}/unpublish`, {})
        assert.include(yield* mailing(first.id), { state: "cancelled" })
        yield* TestClock.adjust("6 minutes")
        assert.lengthOf(yield* postMails, 0)
        const second = yield* author.published()
        yield* act(second.id, "send_now")
        yield* prepare
        const sql = yield* SqlClient.SqlClient
        yield* sql`update subscribers set state = 'ended', ended_at = created_at, ended_by = 'reader'
        where address = 'leaves@example.org'`
        assert.deepStrictEqual(
          (yield* postMails).map(({ to }) => to.address),
          ["stays@example.org"]
        )
      })
  )

  it.effect(
    "The mail of a post does not leave once its text has a price, or after it was published again",
    () =>
      Effect.gen(function* () {
        const { act, author, mailing } = yield* castOf(8, "c@example.org", "d@example.org")
        const priced = yield* author.draft({ title: "Free first", freeContentMarkdown: MARKER })
        yield* author.publish(priced.id)
        yield* act(priced.id, "send_now")
        yield* prepare
        const changes = { paidContentMarkdown: MARKER, freeContentMarkdown: "A teaser", enablePaywall: true }
        const answer = yield* author.patch(priced.id, { ...changes, priceXno: "0.25" })
        assert.strictEqual(answer.status, 200, answer.text)
        assert.include(yield* mailing(priced.id), { state: "cancelled" })
        assert.lengthOf(yield* postMails, 0)
        assert.include(yield* mailing(priced.id), { state: "cancelled", recipients: 1, sent: 1 })

        const again = yield* author.published()
        yield* act(again.id, "send_now")
        yield* prepare
        yield* TestClock.adjust("1 minute")
        yield* author.send("POST", `/${again.id}/unpublish`, {})
        yield* author.publish(again.id, "again")
        assert.lengthOf(yield* postMails, 0)
        assert.include(yield* mailing(again.id), { state: "cancelled" })
      })
  )

  it.effect("The mail of a post that became a draft stays cancelled when it is public again", () =>
    Effect.gen(function* () {
      const { act, author, mailing } = yield* castOf(14, "e@example.org", "f@example.org")
      const { restore, withdraw } = yield* Withdrawals
      const sql = yield* SqlClient.SqlClient
      const staff = { kind: "operator" } as never
      const waiting = yield* author.published()
      yield* author.send("POST", `/${waiting.id}/unpublish`, {})
      yield* author.patch(waiting.id, { mailReaders: false })
      yield* author.publish(waiting.id, "again")
      const [untouched, taken, prepared] = [
        yield* author.published(),
        yield* author.published(),
        yield* author.published()
      ]
      yield* act(prepared.id, "send_now")
      yield* prepare
      for (const { id } of [taken, prepared]) {
        yield* withdraw(staff, PostId.make(id))
        yield* restore(staff, PostId.make(id))
        assert.lengthOf(yield* sql`select from posts where id = ${id} and status = 'published'`, 1)
      }
      yield* TestClock.adjust("6 minutes")
      assert.lengthOf(yield* postMails, 2)
      for (const { id } of [waiting, taken, prepared])
        assert.include(yield* mailing(id), { state: "cancelled", recipients: 0, sent: 0 })
      assert.include(yield* mailing(untouched.id), { state: "sent", recipients: 2, sent: 2 })
    })
  )

  it.effect("The texts of a mail stay while mails wait, and go later", () =>
    Effect.gen(function* () {
      const { act, author } = yield* castOf(9, "slow@example.org")
      const { id } = yield* author.published()
      yield* act(id, "send_now")
      yield* prepare
      const { sweep } = yield* Mailings
      const sql = yield* SqlClient.SqlClient
      yield* TestClock.adjust("9 days")
      yield* sweep
      assert.lengthOf(yield* sql`select from mailings where id = ${id} and html is not null`, 1)
      yield* send
      yield* sweep
      assert.lengthOf(yield* sql`select from mailings where id = ${id} and html is not null`, 0)
    })
  )

  it.effect("The mail of a post leaves twice at most for a server that takes it and does not answer", () =>
    Effect.gen(function* () {
      const { act, author } = yield* castOf(10, "silent@example.org")
      const memory = yield* MailerMemory
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* author.published()
      yield* act(id, "send_now")
      yield* prepare
      const lefts: Array<number> = []
      for (const reason of ["unknown", "connection", "unknown"] as const) {
        yield* memory.failNext(new MailUnavailable({ reason }))
        yield* send
        lefts.push((yield* sql`select from mails where body_id = ${id}`).length)
        yield* TestClock.adjust("1 hour")
      }
      assert.deepStrictEqual(lefts, [1, 1, 0])
    })
  )

  it.effect("The mail of a post that waits longer than a week is not counted as sent", () =>
    Effect.gen(function* () {
      const { act, author, mailing } = yield* castOf(13, "late@example.org", "later@example.org")
      const prepared = Effect.gen(function* () {
        const { id } = yield* author.published()
        yield* act(id, "send_now")
        yield* prepare
        return id
      })
      const swept = yield* prepared
      yield* TestClock.adjust("8 days")
      yield* Effect.flatMap(Mails, ({ sweep }) => sweep)
      const tried = yield* prepared
      yield* TestClock.adjust("7 days")
      assert.lengthOf(yield* postMails, 0)
      for (const id of [swept, tried])
        assert.include(yield* mailing(id), { state: "sent", recipients: 2, sent: 0, failed: 2 })
    })
  )

  it.effect("The mail of a post ends for a mailbox that refuses three mails in a row", () =>
    Effect.gen(function* () {
      const { act, author, mailing } = yield* castOf(5, "bounce@example.org")
      const memory = yield* MailerMemory
      const sql = yield* SqlClient.SqlClient
      const post = Effect.gen(function* () {
        yield* TestClock.adjust("1 minute")
        const { id } = yield* author.published()
        yield* act(id, "send_now")
        yield* Effect.andThen(prepare, send)
        return id
      })
      const states: Array<unknown> = []
      for (const isRefused of [true, true, false, true, true, true]) {
        if (isRefused) yield* memory.failNext(new MailRejected({ reason: "recipient" }))
        const id = yield* post
        const rows = yield* sql`select state from subscribers where address = 'bounce@example.org'`
        states.push(rows[0]?.["state"])
        assert.include(yield* mailing(id), { failed: isRefused ? 1 : 0 })
      }
      assert.deepStrictEqual(states, ["active", "active", "active", "active", "active", "bounced"])
    })
  )

  it.effect("The mail of a post is the only mail of a follower who subscribes, too", () =>
    Effect.gen(function* () {
      yield* begin
      const [author, subscriber, follower] = yield* Effect.all([personOf(20), personOf(21), personOf(22)])
      for (const reader of [subscriber, follower])
        yield* reader.follow(author.id, { notify_new_posts: true, notify_channel_email: true })
      yield* subscribed(author.author.handle, subscriber.email)
      yield* author.published
      yield* TestClock.adjust("6 minutes")
      const notified = yield* mailed
      assert.deepStrictEqual(typesTo(notified, subscriber.email), [])
      assert.deepStrictEqual(typesTo(notified, follower.email), ["new_post"])
      assert.deepStrictEqual(
        (yield* postMails).map(({ to }) => to.address),
        [subscriber.email]
      )
    })
  )

  it.effect("The mail of a post follows the wish of a follower when the post is not mailed to readers", () =>
    Effect.gen(function* () {
      yield* begin
      const [author, subscriber] = yield* Effect.all([personOf(23), personOf(24)])
      yield* subscriber.follow(author.id, { notify_new_posts: true, notify_channel_email: true })
      yield* subscribed(author.author.handle, subscriber.email)
      yield* author.author.published({ mailReaders: false })
      yield* TestClock.adjust("6 minutes")
      assert.deepStrictEqual(typesTo(yield* mailed, subscriber.email), ["new_post"])
      assert.lengthOf(yield* postMails, 0)
    })
  )

  it.effect("A post that is not mailed with its first publication is never mailed", () =>
    Effect.gen(function* () {
      const { author, mailing } = yield* castOf(11, "quiet@example.org")
      const { schedule } = schedulerOf(author)
      const none = { state: "none", recipients: 0, bytes: null }
      const { id, mailReaders } = yield* author.draft({ mailReaders: false })
      assert.isFalse(mailReaders)
      assert.include(yield* mailing(id), none)
      yield* author.publish(id, "first")
      yield* author.publish(id, "first")
      assert.include(yield* mailing(id), none)
      yield* author.send("POST", `/${id}/unpublish`, {})
      yield* author.patch(id, { mailReaders: true })
      assert.include(yield* mailing(id), none)
      yield* author.publish(id, "again")

      const [silent, loud] = [yield* author.draft({ mailReaders: false }), yield* author.draft()]
      const publishAt = yield* inSeconds(60)
      for (const draft of [silent, loud])
        assert.strictEqual((yield* schedule(draft.id, { publishAt })).status, 200)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* publishAllDue, 2)
      assert.include(yield* mailing(silent.id), none)
      assert.include(yield* mailing(loud.id), { state: "waiting", recipients: 1 })
      yield* TestClock.adjust("6 minutes")
      assert.lengthOf(yield* postMails, 1)
    })
  )

  it.effect("The size of a mail is known before it leaves, and whether its text is cut", () =>
    Effect.gen(function* () {
      const { act, author, mailing } = yield* castOf(12, "size@example.org")
      const sizeOf = (id: string) =>
        Effect.map(mailing(id), ({ bytes, isCut }): readonly [number, boolean] => [bytes, isCut])
      const short = yield* author.draft()
      const long = yield* author.draft({
        freeContentMarkdown: "A paragraph of a long text.\n\n".repeat(3_000)
      })
      for (const [id, isLong] of [
        [short.id, false],
        [long.id, true]
      ] as const) {
        const size = yield* sizeOf(id)
        assert.strictEqual(size[1], isLong)
        assert.isAbove(size[0], isLong ? 50_000 : 500)
        assert.isBelow(size[0], isLong ? 66_000 : 5_000)
        yield* author.publish(id, id)
        assert.deepStrictEqual(yield* sizeOf(id), size)
        yield* act(id, "send_now")
        const [mail] = yield* postMails
        assert.strictEqual(mail?.html?.includes("Read on"), isLong)
        // The link of each reader differs.
        assert.closeTo(Buffer.byteLength(mail?.html ?? ""), size[0], 200)
        assert.deepStrictEqual(yield* sizeOf(id), size)
      }
      const taken = yield* author.published()
      yield* act(taken.id, "cancel")
      assert.deepStrictEqual(yield* mailing(taken.id), {
        state: "cancelled",
        dueAt: null,
        recipients: 0,
        sent: 0,
        failed: 0,
        bytes: null,
        isCut: false
      })
    })
  )

  it.effect("The mail of a post is known to its author alone", () =>
    Effect.gen(function* () {
      const { author, client } = yield* castOf(6)
      const other = yield* client.send("GET", `/api/v1/posts/${(yield* author.published()).id}/mailing`, {
        token: (yield* authorOf(7)).key
      })
      assert.strictEqual(other.status, 404)
    })
  )
})
