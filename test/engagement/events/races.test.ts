import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { Dispatcher } from "../../../src/engagement/events/Dispatcher.ts"
import { EventList } from "../../../src/engagement/events/EventList.ts"
import { Events } from "../../../src/platform/events/Events.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"
import { now } from "../../../src/platform/time/now.ts"
import { insertOwner, insertPost, sessionOf } from "../../support/actors/storedOwner.ts"
import { soak } from "../../support/soak.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

const WRITERS = 32
const EACH = soak(8, 60)

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

describe("events in two processes", () => {
  it.live("A cursor misses none of what 32 writers commit out of order, and gets none twice", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_event_races")
      const [first] = processes
      const sql = Context.get(first, SqlClient.SqlClient)
      const owner = yield* Effect.provide(insertOwner(1), first)
      const post = yield* Effect.provide(insertPost(1, owner, "published"), first)
      const session = sessionOf(owner)
      const at = (n: number) => processes[n % 2]!
      const page = (n: number, after?: string) =>
        Context.get(at(n), EventList).page(session, {
          limit: 20,
          ...(after === undefined ? {} : { after })
        })
      const start = (yield* page(0)).pagination.nextCursor

      // The first to record often commits last.
      const write = (writer: number) =>
        Effect.forEach(numbers(EACH), (n) =>
          Context.get(at(writer), Transactions).run(
            Effect.gen(function* () {
              const data = { isFirst: false, isScheduled: false }
              const event = { ownerId: owner, type: "post.published", subjectId: post, data } as const
              const cause = `${writer} ${n}`
              yield* Context.get(at(writer), Events).record({ ...event, at: yield* now, cause })
              const other = Context.get(at(writer), SqlClient.SqlClient)
              yield* Effect.replicateEffect(other`select 1`, (writer * 7 + n) % 5)
            })
          )
        )
      const writing = yield* Effect.forkChild(
        Effect.forEach(numbers(WRITERS), write, { concurrency: "unbounded", discard: true })
      )
      const dispatching = yield* Effect.forkChild(
        Effect.forEach(
          processes,
          (process) =>
            Effect.forever(Effect.andThen(Context.get(process, Dispatcher).dispatch, Effect.yieldNow)),
          { concurrency: "unbounded" }
        )
      )
      const total = WRITERS * EACH
      const seen: Array<{ readonly id: string; readonly sequence: number }> = []
      let after = start
      for (let looks = 0; seen.length < total; looks++) {
        const { data, pagination } = yield* page(looks, after)
        seen.push(...data.map((body) => JSON.parse(body)))
        after = pagination.nextCursor
        if (looks > 20_000) break
      }
      yield* Fiber.join(writing)
      yield* Fiber.interrupt(dispatching)
      assert.deepStrictEqual(
        seen.map(({ sequence }) => sequence),
        numbers(total).map((n) => n + 1)
      )
      assert.strictEqual(new Set(seen.map(({ id }) => id)).size, total)
      assert.deepStrictEqual(
        yield* sql`select count(*)::int as count, count(distinct cause)::int as causes from events`,
        [{ count: total, causes: total }]
      )
      assert.deepStrictEqual(yield* sql`select last_sequence::int as last from event_listeners`, [
        { last: total }
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("Updates of a Post that race with the dispatcher are all told, and a cause is told once", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_event_update_races")
      const [first] = processes
      const sql = Context.get(first, SqlClient.SqlClient)
      const owner = yield* Effect.provide(insertOwner(1), first)
      const post = yield* Effect.provide(insertPost(1, owner, "published"), first)
      yield* Context.get(first, EventList).page(sessionOf(owner), {})
      const at = yield* now
      const early = new Date(at.getTime() - 60_000)
      const record = (n: number) => {
        const events = Context.get(processes[n % 2]!, Events)
        const about = { ownerId: owner, subjectId: post } as const
        return n % 4 === 0
          ? events.record({ ...about, type: "tip.settled", data: {}, at, cause: "once" })
          : events.record({ ...about, type: "post.updated", data: { changed: [`member${n}`] }, at: early })
      }
      yield* Effect.all(
        [
          Effect.forEach(numbers(60), record, { concurrency: 20 }),
          Effect.forEach(numbers(60), (n) => Context.get(processes[n % 2]!, Dispatcher).dispatch, {
            concurrency: 2
          })
        ],
        { concurrency: 2 }
      )
      yield* Context.get(first, Dispatcher).dispatch
      const { data } = yield* Context.get(first, EventList).page(sessionOf(owner), { limit: 100 })
      const changed = data.flatMap((body) => JSON.parse(body).data.changed)
      assert.sameMembers(
        changed,
        numbers(60).flatMap((n) => (n % 4 === 0 ? [] : [`member${n}`]))
      )
      // No such payment exists, so its body cannot be made, and the event is dropped.
      assert.isEmpty(yield* sql`select from events where sequence is null`)
    })
  )
})
