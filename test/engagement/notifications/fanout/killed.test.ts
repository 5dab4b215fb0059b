import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CommentId, type OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { now } from "../../../../src/platform/time/now.ts"
import { Notices } from "../../../../src/publishing/posts/Notices.ts"
import { insertPost } from "../../../support/actors/storedOwner.ts"
import { twoAssemblies } from "../../../support/twoServices.ts"
import { personOf } from "../deeds.ts"
import { numbered } from "../reader.ts"
import { tellCommented } from "../told.ts"
import { followersOf, tellSome, told } from "./crowd.ts"

const FOLLOWERS = 6_000
const COMMENTERS = 1_500
/** Comments of one round on the Post that all commenters share. */
const COMMENTS = 10

/** Returns places in a row, each behind the one before by at most a gap. The same ones for a seed. */
const placesOf = (seed: number, count: number, gap: number) => {
  let state = seed
  let place = 0
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    place += 1 + Math.floor((state / 2 ** 32) * gap)
    return place
  })
}

/** Twenty places at which a process dies: while it writes notifications, and while it writes its own work. */
const PLACES = { notifications: placesOf(1, 14, 8_000), notification_fanouts: placesOf(2, 6, 8) }
const KILLS = 20

/** Has PostgreSQL end the connection that writes the row of a place. Places count what was undone, too. */
const armed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create sequence killed`.unprepared
  yield* sql`
    create function die() returns trigger language plpgsql as $$
    begin
      if nextval(('written_' || tg_table_name)::regclass) = any(tg_argv[0]::bigint[]) then
        perform nextval('killed');
        perform pg_terminate_backend(pg_backend_pid());
      end if;
      return new;
    end $$`.unprepared
  for (const [table, places] of Object.entries(PLACES)) {
    yield* sql`create sequence ${sql.literal(`written_${table}`)}`.unprepared
    yield* sql`
      create trigger die before ${sql.literal(table === "notifications" ? "insert or update" : "update")}
      on ${sql.literal(table)} for each row execute function die(${sql.literal(`'{${places.join(",")}}'`)})`
      .unprepared
  }
})

/** The processes that died. */
const killed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly kills: number }>`
    select case when is_called then last_value else 0 end::int4 as kills from killed`
  return row!.kills
})

/** Owners who commented on a Post once. */
const commentersOf = Effect.fnUntraced(function* (post: PostId, count: number) {
  const sql = yield* SqlClient.SqlClient
  const at = yield* now
  yield* sql`
    with made as (
      insert into owners (id, kind, name, handle, created_at)
      select gen_random_uuid(), 'guest', 'Commenter', 'commenter_' || i, ${at} from generate_series(1, ${count}::int) i returning id)
    insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent, by_agent)
    select id, ${post}::uuid, id, 'Words', id, 0, ${at}::timestamptz, 'key', '', false from made`
})

/** Tells what is due, like a process that starts again whenever it dies, until nothing is due. */
const tellThrough = Effect.gen(function* () {
  let isDone = false
  while (!isDone) {
    const told = yield* Effect.exit(tellSome(1))
    isDone = Exit.isSuccess(told) && told.value === 0
  }
})

const isLeft = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`select from notification_fanouts limit 1`, (rows) => rows.length > 0)
)

/** A Post of the creator, and Comments on another one. */
const round = Effect.fnUntraced(function* (
  number: number,
  creator: OwnerId,
  discussed: PostId,
  loud: OwnerId
) {
  const notices = yield* Notices
  const postId = PostId.make(numbered(number))
  yield* notices.published({ isMailed: true, postId, authorId: creator, at: yield* now })
  for (let n = 0; n < COMMENTS; n++) {
    yield* TestClock.adjust("1 second")
    yield* tellCommented({
      commentId: CommentId.make(numbered(number * 1_000 + n)),
      postId: discussed,
      postAuthorId: creator,
      authorId: loud,
      replyTargetAuthorId: null,
      at: yield* now
    })
  }
  return postId
})

describe("fan-outs in two processes", () => {
  it.effect(
    "Fan-outs that are killed at 20 random points notify each reader of everything once",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21))
        const processes = yield* twoAssemblies("test_fanout_killed")
        const [first] = processes
        const here = Effect.provide(first)
        const sql = Context.get(first, SqlClient.SqlClient)
        const [creator, loud] = yield* here(Effect.all([personOf(1), personOf(2)]))
        const discussed = yield* here(insertPost(1, creator, "published"))
        yield* here(followersOf(creator, FOLLOWERS))
        yield* here(commentersOf(discussed, COMMENTERS))
        yield* sql`analyze comments, follows, owners`
        // Causes come in transactions of their own, which live.
        const posts = [yield* here(round(1, creator, discussed, loud))]
        yield* here(armed)
        for (let turn = 0; turn < 100; turn++) {
          yield* Effect.forEach(processes, (process) => Effect.provide(tellThrough, process), {
            concurrency: 2,
            discard: true
          })
          // The leases of the dead end.
          yield* TestClock.adjust("30 seconds")
          if (yield* here(isLeft)) continue
          if ((yield* here(killed)) === KILLS) break
          yield* sql`alter table notifications disable trigger die`.unprepared
          posts.push(yield* here(round(posts.length + 1, creator, discussed, loud)))
          yield* sql`alter table notifications enable trigger die`.unprepared
        }
        assert.strictEqual(yield* here(killed), KILLS)
        for (const post of posts)
          assert.deepStrictEqual(yield* here(told(post)), { rows: FOLLOWERS, recipients: FOLLOWERS })
        const news = yield* sql`
          select (data ->> 'count')::int4 as count, count(*)::int4 as readers,
            count(distinct recipient_id)::int4 as recipients
          from notifications where type = 'commented_post_activity' group by 1`
        assert.deepStrictEqual(news, [
          { count: COMMENTS * posts.length, readers: COMMENTERS, recipients: COMMENTERS }
        ])
      }),
    60_000
  )
})
