import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Fanouts } from "../../../../src/engagement/notifications/fanout/Fanouts.ts"
import { later, now } from "../../../../src/platform/time/now.ts"

/** Owners that one statement makes. */
const PART = 10_000

/** Makes owners who follow a creator. Their ids are in no particular order. */
export const followersOf = Effect.fnUntraced(function* (creator: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  const at = yield* now
  for (let from = 0; from < count; from += PART)
    yield* part(sql, creator, [from, Math.min(count, from + PART)], at)
})

const part = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  creator: string,
  [from, to]: readonly [number, number],
  at: Date
) {
  yield* sql`
    with made as (
      insert into owners (id, kind, name, handle, created_at)
      select gen_random_uuid(), 'guest', 'Follower', 'f' || substr(md5(${creator} || i), 1, 20), ${at}
      from generate_series(${from + 1}::int, ${to}::int) i returning id)
    insert into follows (id, follower_id, creator_id, created_at)
    select gen_random_uuid(), id, ${creator}, ${at} from made`
})

/** Claims fan-outs that are due, for half a minute. */
export const claimFanouts = (limit: number) =>
  Effect.gen(function* () {
    const at = yield* now
    return yield* (yield* Fanouts).claim({ at, leaseUntil: later(at, 30_000), limit })
  })

/** Tells the next batch of fan-outs that are due. Returns their number. */
export const tellSome = (limit: number) =>
  Effect.gen(function* () {
    const claimed = yield* claimFanouts(limit)
    yield* Effect.forEach(claimed, (yield* Fanouts).step, { discard: true })
    return claimed.length
  })

/** Tells every fan-out to the end. */
export const tellAll = tellSome(10).pipe(Effect.repeat({ while: (claimed) => claimed > 0 }), Effect.asVoid)

/** Counts the notifications of a Post, and its recipients. */
export const told = Effect.fnUntraced(function* (post: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly rows: number; readonly recipients: number }>`
    select count(*)::int4 as rows, count(distinct recipient_id)::int4 as recipients
    from notifications where post_id = ${post} and type = 'new_post'`
  return row!
})
