import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MailerMemory } from "../../../../layers/testing/MailerMemory.ts"
import { NotificationMails } from "../../../../src/engagement/notifications/mails/NotificationMails.ts"
import { Mails } from "../../../../src/platform/mail/Mails.ts"
import type { Mail } from "../../../../src/platform/ports/Mailer.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import type { Claim } from "../../../../src/platform/work/lease.ts"
import { authorOf } from "../../../support/actors/author.ts"
import { TestClient } from "../../../support/TestClient.ts"
import { tellAll } from "../fanout/crowd.ts"
import { readerOf } from "../reader.ts"

const START = Date.UTC(2026, 10, 21)

/** Sets the clock to a day of this century, once: the tests of a file share it. */
export const begin = Effect.gen(function* () {
  if ((yield* now).getTime() < START) yield* TestClock.setTime(START)
})

/** Does work that is due, ten rows at a time, until none is left. */
export const workOff = <Row, E, R>(
  claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Row>, E, R>,
  run: (row: Row) => Effect.Effect<unknown, E, R>
) =>
  Effect.gen(function* () {
    const at = yield* now
    const rows = yield* claim({ at, leaseUntil: later(at, 60_000), limit: 10 })
    yield* Effect.forEach(rows, run, { discard: true })
    return rows.length
  }).pipe(Effect.repeat({ while: (claimed) => claimed > 0 }), Effect.asVoid)

/** Puts the mails about notifications that are due into the outbox, as long as it has room. */
export const postDue = Effect.flatMap(NotificationMails, ({ claim, post }) => workOff(claim, post))

/** Sends the mails of the outbox that may wait. */
export const sendBulk = Effect.flatMap(Mails, ({ claimBulk, deliver }) => workOff(claimBulk, deliver))

/** Tells everyone of what happened, and returns the mails that leave, the oldest first. */
export const mailed = Effect.gen(function* () {
  const memory = yield* MailerMemory
  const before = yield* memory.sent
  yield* tellAll
  yield* Effect.andThen(postDue, sendBulk)
  return (yield* memory.sent).slice(before.length)
})

/** The subjects of mails by their types. */
const subjects: ReadonlyArray<readonly [pattern: RegExp, type: string]> = [
  [/ also commented on /, "commented_post_activity"],
  [/ commented on /, "new_comment"],
  [/ replied to you on /, "comment_reply"],
  [/ published /, "new_post"],
  [/ now follows you$/, "new_follow"],
  [/^About your Pennypress account$/, "account_issue"],
  [/^Your day on Pennypress$/, "summary"],
  [/^You earned .* since yesterday$/, "daily_sales"],
  [/ (?:bought|tipped you) /, "new_purchase"]
]

/** Returns the types of the mails to an address. */
export const typesTo = (mails: ReadonlyArray<Mail>, address: string) =>
  mails
    .filter(({ to }) => to.address === address)
    .map(({ subject }) => subjects.find(([pattern]) => pattern.test(subject))?.[1] ?? subject)

/** Gives an owner a confirmed mailbox, or takes it. */
export const setMailbox = Effect.fnUntraced(function* (id: string, email: string | null) {
  const sql = yield* SqlClient.SqlClient
  const at = email === null ? null : yield* now
  yield* sql`update owners set email = ${email}, mailbox = ${email}, email_verified_at = ${at} where id = ${id}`
})

/** Signs in the `number`th owner of a test file, with a Profile and a confirmed mailbox. */
export const personOf = Effect.fnUntraced(function* (number: number) {
  const client = yield* TestClient
  const author = yield* authorOf(number)
  const reader = yield* readerOf(number)
  const email = `person${number}@example.org`
  yield* setMailbox(reader.id, email)
  let comments = 0

  return {
    ...reader,
    email,
    author,
    /** Publishes a Post, and returns its id. */
    published: Effect.map(author.published(), ({ id }) => id as string),
    /** Comments on a Post a second later. Returns the id of the Comment. */
    say: Effect.fnUntraced(function* (post: string, content = "Well said", parentCommentId?: string) {
      yield* TestClock.adjust("1 second")
      comments += 1
      const answer = yield* client.send("POST", `/api/v1/posts/${post}/comments`, {
        token: reader.token,
        headers: { "idempotency-key": `comment-${comments}` },
        body: { content, ...(parentCommentId === undefined ? {} : { parentCommentId }) }
      })
      assert.strictEqual(answer.status, 201, answer.text)
      return answer.body.id as string
    }),
    /** Follows a creator, with these preferences of the follow. */
    follow: Effect.fnUntraced(function* (creator: string, preferences: object) {
      const { body } = yield* reader.send("PUT", `/follows/${creator}`, { following: true })
      const saved = yield* reader.send("PUT", `/follows/preferences/${body.follow.id}`, preferences)
      assert.strictEqual(saved.status, 200, saved.text)
    })
  }
})
