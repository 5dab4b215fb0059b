import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { emailKeys, preferenceDefaults } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { now } from "../../../../src/platform/time/now.ts"
import { Notices } from "../../../../src/publishing/posts/Notices.ts"
import { database } from "../../../support/Database.ts"
import { service } from "../../../support/TestClient.ts"
import { begin, mailed, personOf, setMailbox, typesTo } from "./mailing.ts"

/** A reader, and causes that each notify them by one type. */
const castOf = Effect.fnUntraced(function* (first: number) {
  const [reader, author, other] = yield* Effect.all([
    personOf(first),
    personOf(first + 1),
    personOf(first + 2)
  ])
  const own = yield* reader.published
  const post = yield* author.published
  const comment = yield* reader.say(post)
  yield* reader.follow(author.id, { notify_channel_email: true })
  yield* mailed
  const notices = yield* Notices
  let issues = 0
  const causes = {
    new_comment: other.say(own),
    comment_reply: other.say(post, "Well said", comment),
    commented_post_activity: other.say(post),
    new_post: Effect.andThen(TestClock.adjust("1 second"), author.published),
    new_follow: Effect.andThen(TestClock.adjust("1 second"), reader.followedBy(other.id)),
    account_issue: Effect.gen(function* () {
      issues += 1
      const issue = { ownerId: reader.id, code: "image_rejected", cause: `issue-${issues}`, at: yield* now }
      yield* notices.accountIssue(issue)
    })
  }
  /** Returns the types of the mails that reach the reader for a cause. */
  const heard = (type: keyof typeof causes) =>
    Effect.gen(function* () {
      yield* causes[type]
      return typesTo(yield* mailed, reader.email)
    })
  return { reader, author, other, own, post, comment, causes, heard, types: Struct.keys(causes) }
})

/** Every preference of a type, off. */
const none = Object.fromEntries(
  Object.values(emailKeys).flatMap((key) => [
    [key, false],
    [`${key}_inapp`, false]
  ])
)

layer(service(database("test_mail_preferences")))("mails about notifications", (it) => {
  it.effect("An owner without a choice gets mails of the types that are on by default", () =>
    Effect.gen(function* () {
      yield* begin
      const { heard, types } = yield* castOf(1)
      for (const type of types)
        assert.deepStrictEqual(yield* heard(type), preferenceDefaults[emailKeys[type]] ? [type] : [], type)
    })
  )

  it.effect("A mail needs email_notifications and the key of its type, and no other key", () =>
    Effect.gen(function* () {
      yield* begin
      const { heard, reader, types } = yield* castOf(11)
      for (const type of types) {
        for (const email_notifications of [true, false]) {
          for (const isOn of [true, false]) {
            const others = isOn ? none : Object.fromEntries(Struct.keys(none).map((key) => [key, true]))
            const choice = { ...others, email_notifications, in_app_notifications: false }
            yield* reader.prefer({ ...choice, [emailKeys[type]]: isOn })
            const expected = email_notifications && isOn ? [type] : []
            assert.deepStrictEqual(
              yield* heard(type),
              expected,
              JSON.stringify({ type, email_notifications, isOn })
            )
          }
        }
      }
    })
  )

  it.effect("A mail about a new Post needs both keys of the follow, but does not need the feed", () =>
    Effect.gen(function* () {
      yield* begin
      const { author, heard, reader } = yield* castOf(21)
      const follow = { notify_new_posts: true, notify_channel_email: true, notify_channel_inapp: false }
      const cases = [
        [{}, ["new_post"]],
        [{ notify_channel_inapp: true }, ["new_post"]],
        [{ notify_channel_email: false, notify_channel_inapp: true }, []],
        [{ notify_new_posts: false }, []]
      ] as const
      for (const [change, expected] of cases) {
        yield* reader.follow(author.id, { ...follow, ...change })
        assert.deepStrictEqual(yield* heard("new_post"), [...expected], JSON.stringify(change))
      }
    })
  )

  it.effect("Mails go only to confirmed mailboxes, and a restricted account gets those about itself", () =>
    Effect.gen(function* () {
      yield* begin
      const { heard, reader } = yield* castOf(31)
      const sql = yield* SqlClient.SqlClient
      const hears = Effect.forEach(["new_post", "account_issue"] as const, heard)
      const restrict = (at: Date | null) =>
        sql`update owners set restricted_at = ${at} where id = ${reader.id}`
      yield* setMailbox(reader.id, null)
      assert.deepStrictEqual(yield* heard("comment_reply"), [])
      assert.deepStrictEqual(yield* hears, [[], []])
      yield* setMailbox(reader.id, reader.email)
      yield* restrict(yield* now)
      assert.deepStrictEqual(yield* hears, [[], ["account_issue"]])
      yield* restrict(null)
      assert.deepStrictEqual(yield* hears, [["new_post"], ["account_issue"]])
    })
  )
})
