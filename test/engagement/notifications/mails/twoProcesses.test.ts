import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NotificationMails } from "../../../../src/engagement/notifications/mails/NotificationMails.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import { twoAssemblies } from "../../../support/twoServices.ts"
import { followersOf, tellAll } from "../fanout/crowd.ts"
import { personOf, postDue } from "./mailing.ts"

const FOLLOWERS = 150

/** Mails in the outbox, their recipients, and the rows that wait for the worker. */
const outbox = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly mails: number; readonly recipients: number; readonly due: number }>`
    select count(*)::int4 as mails, count(distinct recipient)::int4 as recipients,
      (select count(*) from notification_mails)::int4 as due
    from mails`
  return row!
})

layer(Layer.empty)("two processes", (it) => {
  it.effect("Two processes share the mails, and each reader gets one, even when a process dies", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21))
      const [one, other] = yield* twoAssemblies("test_mail_two_processes")
      const inOne = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, one)
      const inOther = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, other)
      const sql = Context.get(one, SqlClient.SqlClient)
      const author = yield* inOne(personOf(1))
      yield* inOne(followersOf(author.id, FOLLOWERS))
      yield* sql`update owners set email = handle || '@example.org', mailbox = handle || '@example.org',
        email_verified_at = created_at where kind = 'guest'`
      yield* sql`update follows set notify_channel_email = true`
      yield* inOne(author.published)
      yield* Effect.all([inOne(tellAll), inOther(tellAll)], { concurrency: 2 })
      assert.deepStrictEqual(yield* inOne(outbox), { mails: 0, recipients: 0, due: FOLLOWERS })

      // A process dies with ten claimed mails. Their leases end, and another process posts them.
      const at = yield* now
      const lost = yield* inOne(
        Effect.flatMap(NotificationMails, ({ claim }) =>
          claim({ at, leaseUntil: later(at, 30_000), limit: 10 })
        )
      )
      assert.lengthOf(lost, 10)
      yield* Effect.all([inOne(postDue), inOther(postDue)], { concurrency: 2 })
      assert.deepStrictEqual(yield* inOne(outbox), {
        mails: FOLLOWERS - 10,
        recipients: FOLLOWERS - 10,
        due: 10
      })
      yield* TestClock.adjust("30 seconds")
      yield* inOther(postDue)
      // It was only slow: what it posts now is nothing.
      yield* inOne(Effect.flatMap(NotificationMails, ({ post }) => Effect.forEach(lost, post)))
      assert.deepStrictEqual(yield* inOne(outbox), { mails: FOLLOWERS, recipients: FOLLOWERS, due: 0 })
    })
  )
})
