import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NotificationMails } from "../../../../src/engagement/notifications/mails/NotificationMails.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import { Notices } from "../../../../src/publishing/posts/Notices.ts"
import { database } from "../../../support/Database.ts"
import { BASE_URL, service } from "../../../support/TestClient.ts"
import { tellAll } from "../fanout/crowd.ts"
import { begin, mailed, personOf, postDue, sendBulk, setMailbox, typesTo } from "./mailing.ts"

/** Rows that wait for the worker, and mails in the outbox. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly due: number; readonly mails: number }>`
    select (select count(*) from notification_mails)::int4 as due, (select count(*) from mails)::int4 as mails`
  return row!
})

const castOf = Effect.fnUntraced(function* (first: number) {
  yield* begin
  const [author, bob, cat] = yield* Effect.all([personOf(first), personOf(first + 1), personOf(first + 2)])
  return { author, bob, cat, post: yield* author.published }
})

layer(service(database("test_mail_causes")))("a cause", (it) => {
  it.effect("Each reader gets one mail, with the page of the Post and an unsubscribe link", () =>
    Effect.gen(function* () {
      const { author, bob, cat, post } = yield* castOf(1)
      const root = yield* bob.say(post, "First\r\n\r\nBcc: eve@example.net")
      const [mail, ...others] = yield* mailed
      assert.deepStrictEqual(others, [])
      assert.strictEqual(mail?.to.address, author.email)
      assert.include(mail?.text, "“First Bcc: eve@example.net”")
      const page = `${BASE_URL}/@${author.author.handle}/on-pennies`
      assert.include(mail?.text, `Read the comment: ${page}/comments?thread=${root}#c-${root}\n`)
      assert.match(mail?.unsubscribeUrl ?? "", /^https:\/\/press\.test\/unsubscribe\?token=[\w-]+$/)
      assert.include(mail?.text, mail?.unsubscribeUrl)
      const reply = yield* cat.say(post, "Second", root)
      const replied = yield* mailed
      const toBob = replied.find(({ to }) => to.address === bob.email)
      assert.include(toBob?.text, `Read the reply: ${page}/comments?thread=${root}#c-${reply}\n`)
      for (const line of toBob?.text.split("\n") ?? []) assert.isAtMost(line.length, 200)
      assert.deepStrictEqual(typesTo(replied, author.email), ["new_comment"])
      assert.deepStrictEqual(typesTo(replied, bob.email), ["comment_reply"])
      assert.lengthOf(replied, 2)
      assert.deepStrictEqual(yield* waiting, { due: 0, mails: 0 })
    })
  )

  it.effect("An author who gets a Comment and a reply gets one mail, about the reply if that is on", () =>
    Effect.gen(function* () {
      const { author, bob, post } = yield* castOf(11)
      const root = yield* author.say(post)
      yield* bob.say(post, "One", root)
      assert.deepStrictEqual(typesTo(yield* mailed, author.email), ["comment_reply"])
      yield* author.prefer({ notify_comment_reply: false })
      yield* bob.say(post, "Two", root)
      assert.deepStrictEqual(typesTo(yield* mailed, author.email), ["new_comment"])
      yield* author.prefer({ notify_comment_reply: true, notify_new_comment: false })
      yield* bob.say(post, "Three", root)
      assert.deepStrictEqual(typesTo(yield* mailed, author.email), ["comment_reply"])
      const { notifications } = yield* author.feed()
      assert.lengthOf(notifications, 6)
    })
  )

  it.effect("A cause is not mailed to the owner who caused it, nor into a muted discussion", () =>
    Effect.gen(function* () {
      const { author, bob, cat, post } = yield* castOf(21)
      for (const it of [author, bob]) yield* it.prefer({ notify_commented_post_activity: true })
      yield* author.say(post)
      const root = yield* bob.say(post)
      yield* mailed
      yield* Effect.forEach([author, bob], (it) => it.mute(post, true))
      yield* cat.say(post, "Muted", root)
      yield* cat.say(post, "Muted")
      assert.deepStrictEqual(yield* mailed, [])
      yield* Effect.forEach([author, bob], (it) => it.mute(post, false))
      yield* cat.say(post, "Heard")
      const heard = yield* mailed
      assert.deepStrictEqual(typesTo(heard, author.email), ["new_comment"])
      assert.deepStrictEqual(typesTo(heard, bob.email), ["commented_post_activity"])
      assert.lengthOf(heard, 2)
    })
  )

  it.effect("A cause that is told twice is mailed once", () =>
    Effect.gen(function* () {
      const { author } = yield* castOf(31)
      const notices = yield* Notices
      const issue = { ownerId: author.id, code: "image_rejected", cause: "one" }
      yield* notices.accountIssue({ ...issue, at: yield* now })
      assert.lengthOf(yield* mailed, 1)
      yield* TestClock.adjust("1 second")
      yield* notices.accountIssue({ ...issue, at: yield* now })
      assert.deepStrictEqual(yield* mailed, [])
    })
  )

  it.effect("A cause whose transaction failed leaves no mail", () =>
    Effect.gen(function* () {
      const { author } = yield* castOf(41)
      const sql = yield* SqlClient.SqlClient
      const notices = yield* Notices
      const failing = Effect.gen(function* () {
        yield* notices.accountIssue({
          ownerId: author.id,
          code: "image_rejected",
          cause: "x",
          at: yield* now
        })
        assert.strictEqual((yield* waiting).due, 1)
        return yield* Effect.fail("refused")
      })
      yield* Effect.flip(sql.withTransaction(failing))
      assert.deepStrictEqual(yield* waiting, { due: 0, mails: 0 })
    })
  )
})

layer(service(database("test_mail_meanwhile")))("a mail that is due", (it) => {
  it.effect("A due mail is not posted when its reader, its Comment or its Post is gone", () =>
    Effect.gen(function* () {
      const { author, bob, cat, post } = yield* castOf(1)
      const sql = yield* SqlClient.SqlClient
      const silent = Effect.fnUntraced(function* (what: string, meanwhile: Effect.Effect<unknown, unknown>) {
        assert.strictEqual((yield* waiting).due, 1, what)
        yield* meanwhile
        assert.deepStrictEqual(yield* mailed, [], what)
        assert.deepStrictEqual(yield* waiting, { due: 0, mails: 0 }, what)
      })
      yield* bob.say(post)
      yield* silent("a choice", author.prefer({ notify_new_comment: false }))
      yield* author.prefer({ notify_new_comment: true })
      yield* bob.say(post)
      yield* silent("a mute", author.mute(post, true))
      yield* author.mute(post, false)
      yield* bob.say(post)
      yield* silent(
        "a mailbox",
        sql`update owners set email = null, mailbox = null, email_verified_at = null where id = ${author.id}`
      )
      yield* setMailbox(author.id, author.email)
      const comment = yield* bob.say(post)
      yield* silent("a Comment", bob.send("DELETE", `/comments/${comment}`))
      yield* bob.say(post)
      yield* silent("its author", sql`update owners set restricted_at = created_at where id = ${bob.id}`)
      yield* sql`update owners set restricted_at = null where id = ${bob.id}`
      yield* cat.follow(author.id, { notify_channel_email: true })
      yield* mailed
      yield* author.published
      yield* tellAll
      yield* silent("a follow", cat.send("PUT", `/follows/${author.id}`, { following: false }))
      yield* cat.say(post)
      yield* silent("a Post", author.author.unpublish(post))
    })
  )

  it.effect("A due mail is not posted two days after its cause", () =>
    Effect.gen(function* () {
      const { bob, post } = yield* castOf(11)
      yield* bob.say(post)
      yield* TestClock.adjust(2 * 86_400_000 - 1)
      yield* postDue
      assert.strictEqual((yield* waiting).mails, 1)
      yield* sendBulk
      yield* (yield* Notices).accountIssue({
        ownerId: bob.id,
        code: "image_failed",
        cause: "1",
        at: yield* now
      })
      yield* TestClock.adjust(2 * 86_400_000)
      assert.strictEqual((yield* waiting).due, 1)
      assert.deepStrictEqual(yield* mailed, [])
      assert.deepStrictEqual(yield* waiting, { due: 0, mails: 0 })
    })
  )

  it.effect("A due mail waits while 200 mails of the outbox wait for their first attempt", () =>
    Effect.gen(function* () {
      const { author } = yield* castOf(21)
      const sql = yield* SqlClient.SqlClient
      const at = yield* now
      yield* sql`
        insert into notification_mails (id, recipient_id, type, created_at, code, due_at)
        select gen_random_uuid(), ${author.id}, 'account_issue', ${at}, 'image_failed', ${at}
        from generate_series(1, 230)`
      yield* postDue
      const first = yield* waiting
      // A claim takes ten at once.
      assert.isAtLeast(first.mails, 200)
      assert.isBelow(first.mails, 210)
      assert.strictEqual(first.mails + first.due, 230)
      const { claim } = yield* NotificationMails
      assert.deepStrictEqual(yield* claim({ at, leaseUntil: later(at, 1), limit: 1 }), [])
      yield* Effect.andThen(sendBulk, postDue)
      assert.deepStrictEqual(yield* waiting, { due: 0, mails: 230 - first.mails })
      yield* sendBulk
    })
  )
})
