import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { receivedCommentStatements } from "../../../src/engagement/comments/receivedComments.sql.ts"
import { newestOf, sliceOf } from "../../../src/engagement/comments/slices.sql.ts"
import { threadStatements } from "../../../src/engagement/comments/threads.sql.ts"
import { insertOwner, insertPost, ownerId } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes, rowsRead, wholeTables } from "../../support/plans.ts"

interface Plan {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const explain = Effect.fnUntraced(function* (statement: Statement.Statement<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly "QUERY PLAN": readonly [{ readonly Plan: Plan }] }>`
    explain (analyze, format json) ${statement}`
  return nodesOf(row!["QUERY PLAN"][0].Plan)
})

/** Comments on each of two Posts. */
const COMMENTS = 10_000

/** Twenty threads of 500 Comments, three at each tick. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const posts: Array<PostId> = []
  for (let n = 1; n <= 40; n++) {
    const owner = yield* insertOwner(n)
    if (n <= 2) posts.push(yield* insertPost(n, owner, "published"))
  }
  // A statement of the service has five seconds.
  for (let from = 0; from < COMMENTS; from += 2000)
    yield* sql`
      insert into comments (id, post_id, author_id, content, parent_comment_id, reply_target_comment_id, thread_root_id,
        depth, created_at, idempotency_key, intent, by_agent)
      select md5(p.id::text || n)::uuid, p.id, o.id, 'Some words about pennies', parent, parent,
        md5(p.id::text || n % 20)::uuid, case when parent is null then 0 else 1 end,
        timestamptz '2026-01-01 00:00:00Z' + (n / 3) * interval '1 second', n::text, '', false
      from posts p cross join generate_series(${from}::integer, ${from + 1999}::integer) n
      cross join lateral (select case when n >= 20 then md5(p.id::text || n % 20)::uuid end as parent) above
      join (select id, row_number() over (order by id) - 1 as place from owners) o
        on o.place = (n + case when p.slug = 'post-1' then 0 else 1 end) % 40
      order by n`
  yield* sql`analyze comments, owners, posts, reactions`
  return posts[0]!
})

layer(database("test_comments_plans"))("reads of a great discussion", (it) => {
  it.effect("Reads at any depth use an index, and read and sort no more than the page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const postId = yield* seed
      const rows = yield* sql<{ readonly id: CommentId; readonly at: Timestamp; readonly root: CommentId }>`
        select id, wire_time(created_at) as at, thread_root_id as root from comments
        where post_id = ${postId} order by created_at, id`
      assert.strictEqual(rows.length, COMMENTS)
      const after = (place: number) => {
        const row = rows[place]
        return row === undefined ? undefined : { createdAt: row.at, id: row.id }
      }
      const limit = 50
      const root = rows[0]!.root
      const owner = ownerId(1)

      const check = Effect.fnUntraced(function* (
        name: string,
        statement: Statement.Statement<unknown>,
        most: number
      ) {
        const nodes = yield* explain(statement)
        const read = nodes.filter((node) => node["Relation Name"] === "comments")
        assert.isNotEmpty(read, name)
        for (const node of read) {
          assert.match(node["Node Type"], /^(Index|Bitmap Heap)/, `${name}: ${JSON.stringify(node)}`)
          const touched = (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
          assert.isAtMost(touched, most, `${name}: ${JSON.stringify(node)}`)
        }
        for (const node of nodes.filter((it) => /Sort/.test(it["Node Type"])))
          assert.isAtMost(node["Actual Rows"], most, `${name}: ${JSON.stringify(node)}`)
      })

      for (const viewer of [null, owner])
        for (const place of [-1, 0, 5000, 9900, COMMENTS - 1]) {
          const whole = { postId, limit, after: after(place), threadRootId: undefined }
          yield* check(`page after ${place}`, sliceOf(sql, viewer, whole), limit + 1)
          // A thread takes what others said between its Comments only when it has its own index.
          const thread = { ...whole, threadRootId: root }
          yield* check(`thread after ${place}`, sliceOf(sql, viewer, thread), limit + 1)
        }
      yield* check("the newest", newestOf(sql, null, postId, { limit: 1000, bytesMax: 4_194_304 }), 1000)
      const rate = sql`
        select created_at from comments where author_id = ${owner} order by created_at desc, id desc offset 199 limit 1`
      yield* check("the rate", rate, 200)
      // Readers see none of the Comments on a Post that takes none any more, so none is read.
      yield* sql`update posts set comments_enabled = false where id = ${postId}`
      const { slice } = yield* threadStatements
      const whole = { postId, limit, after: undefined, threadRootId: undefined }
      const threads = { postId, after: undefined, root: undefined, threads: 20, ofThread: 20 }
      const reads: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        sliceOf(sql, null, whole),
        newestOf(sql, null, postId, { limit: 1000, bytesMax: 4_194_304 }),
        slice(threads)
      ]
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const)
        for (const read of reads)
          assert.strictEqual(rowsRead(yield* planNodes(mode, read), "comments"), 0, mode)
      yield* sql`update posts set comments_enabled = true where id = ${postId}`
      const byAgents = sql`
        select id from comments where by_agent and hidden_at is null and deleted_at is null
        order by created_at desc, id desc limit 20`
      yield* check("the newest of agents", byAgents, 20)
    })
  )
})

layer(database("test_received_comments_plans"))("reads of the discussions of one author", (it) => {
  it.effect("The list reads the newest comments of each own Post by an index", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [author, ...others] = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, n) => n + 101),
        (n) => insertOwner(n)
      )
      for (let n = 1; n <= 40; n++) yield* insertPost(n, n <= 20 ? author! : others[n % 39]!, "published")
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`set local session_replication_role = replica`
          yield* sql`
            insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key,
              intent, by_agent)
            select md5(p.id::text || n)::uuid, p.id, (${others}::uuid[])[1 + n % 39], 'Some words', md5(p.id::text || n)::uuid, 0,
              timestamptz '2026-01-01Z' + n * interval '1 second', p.id::text || n, '', false
            from posts p
            cross join generate_series(1, 500) n`
        })
      )
      yield* sql`vacuum analyze comments, posts, owners`.unprepared
      const { slice } = yield* receivedCommentStatements
      const [first] = yield* slice(author!, { after: undefined, limit: 20 })
      for (const after of [undefined, { createdAt: first!.created_at, id: first!.id }])
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          const nodes = yield* planNodes(mode, slice(author!, { after, limit: 20 }))
          assert.notInclude(wholeTables(nodes), "comments", mode)
          // Twenty Posts, 21 comments of each.
          assert.isAtMost(rowsRead(nodes, "comments"), 20 * 21, mode)
          assert.isAtMost(mostRows(nodes), 1_000, mode)
        }
    })
  )
})
