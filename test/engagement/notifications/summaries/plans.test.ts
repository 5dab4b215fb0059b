import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { countsOf } from "../../../../src/engagement/notifications/summaries/summaries.sql.ts"
import { DAY_MILLIS, later } from "../../../../src/platform/time/now.ts"
import { insertOwner, insertPost, ownerId } from "../../../support/actors/storedOwner.ts"
import { database } from "../../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../../support/plans.ts"

const OWNERS = 40
const COMMENTS = 9_600
/** The end of the last of the hundred days in which all happened. */
const END = new Date(Date.UTC(2026, 3, 11))

/** Three of the owners have ten Posts each. Comments, reactions and follows of all are spread over a hundred days. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (let n = 1; n <= OWNERS; n++) yield* insertOwner(n)
  for (let n = 0; n < 30; n++) yield* insertPost(n, ownerId(1 + (n % 3)), "published")
  const begin = sql`timestamptz '2026-01-01 00:00:00Z'`
  const placed = sql`select id, row_number() over (order by id) - 1 as place`
  yield* sql`
    insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent, by_agent)
    select md5(n::text)::uuid, p.id, o.id, 'Words', md5(n::text)::uuid, 0, ${begin} + n * interval '15 minutes', n::text, '',
      false
    from generate_series(0, ${COMMENTS - 1}::integer) n
    join (${placed} from posts) p on p.place = n % 30
    join (${placed} from owners) o on o.place = n / 30 % ${OWNERS}`
  yield* sql`
    insert into reactions (owner_id, post_id, reaction, created_at, changed_at)
    select o.id, p.id, 'heart', at, at
    from (${placed} from posts) p cross join (${placed} from owners) o
    cross join lateral (select ${begin} + (o.place * 30 + p.place) * interval '2 hours' as at) moment
    where not exists (select from posts where posts.id = p.id and owner_id = o.id)`
  yield* sql`
    insert into reactions (owner_id, comment_id, reaction, created_at, changed_at)
    select (select id from owners where id <> c.author_id order by id limit 1), c.id, 'fire', c.created_at, c.created_at
    from comments c`
  yield* sql`
    insert into follows (id, follower_id, creator_id, created_at, announced_at)
    select gen_random_uuid(), a.id, b.id, at, at
    from (${placed} from owners) a join (${placed} from owners) b on a.id <> b.id
    cross join lateral (select ${begin} + (a.place * ${OWNERS} + b.place) * interval '90 minutes' as at) moment`
  yield* sql`analyze comments, follows, owners, posts, reactions`
})

layer(database("test_summaries_plans"))("the day of an owner", (it) => {
  it.effect("A day is counted over ranges of indexes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* seed
      const day = countsOf(sql, ownerId(1), later(END, -DAY_MILLIS), END)
      const [numbers] = yield* day
      // 96 Comments a day on 30 Posts. Ten belong to the owner, who wrote some of the Comments.
      assert.isAbove((numbers as { readonly comments: number }).comments, 20)
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
        const nodes = yield* planNodes(mode, day)
        const whole = wholeTables(nodes)
        for (const table of ["comments", "follows", "reactions"]) assert.notInclude(whole, table, mode)
        // Own Comments are targets of reactions, and are found by their author.
        const own = COMMENTS / OWNERS
        assert.isAtMost(rowsRead(nodes, "comments"), own + 50, mode)
        assert.isAtMost(rowsRead(nodes, "reactions"), 50, mode)
        assert.isAtMost(rowsRead(nodes, "follows"), 50, mode)
      }
    })
  )
})
