import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const HISTORIES = 6
const POSTS = 24
const COMMENTS = 120
/** Few moments, so that many entries share one. */
const MOMENTS = 12

/** An entry of a list, as the order of the list sees it. */
interface Entry {
  readonly at: string
  readonly id: string
}

/** Numbers between 0 and `below`, the same in every run. */
const randomFrom = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const momentOf = (n: number) =>
  `2026-11-20T00:00:00.00000${n % 10}Z`.replace("T00:00", `T00:0${n < 10 ? 0 : 1}`)

/** Reads all pages of a list. */
const walk = Effect.fnUntraced(function* (path: string, limit: number) {
  const client = yield* TestClient
  const entries: Array<Entry> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body, text }: any = yield* client.send("GET", `${path}?limit=${limit}&cursor=${cursor}`)
    assert.isDefined(body.pagination, text)
    if (body.pagination.hasMore) assert.lengthOf(body.data, limit)
    assert.isAtMost(body.data.length, limit)
    assert.strictEqual(body.pagination.hasMore, body.pagination.nextCursor !== null)
    for (const { at, comment, id, kind, post } of body.data) {
      assert.strictEqual(id, kind === "comment" ? comment.id : post.id)
      entries.push({ at, id })
    }
    cursor = body.pagination.nextCursor
  }
  return entries
})

/** Newest first; of one moment, the greatest id first. */
const inOrder = (entries: ReadonlyArray<Entry>) =>
  entries.toSorted((one, other) => (`${one.at} ${one.id}` < `${other.at} ${other.id}` ? 1 : -1))

layer(service(database("test_activity_walk")))("activity", (it) => {
  it.effect(
    "The pages of a random history show each public entry once, newest first, despite equal times",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const client = yield* TestClient
        const authors = yield* Effect.all([authorOf(1), authorOf(2), authorOf(3)])
        yield* client.send("POST", "/api/v1/profile/declare-agent", { token: authors[0].key })
        for (let seed = 1; seed <= HISTORIES; seed++) {
          const random = randomFrom(seed)
          yield* sql`delete from posts`
          const expected = authors.map((): Array<Entry> => [])
          const posts: Array<{ readonly id: string; readonly isDiscussed: boolean }> = []
          for (let n = 0; n < POSTS; n++) {
            const author = random(3)
            const isPublic = random(4) > 0
            const commentsEnabled = random(5) > 0
            const body = { title: `Post ${seed} ${n}`, commentsEnabled }
            const { id } = yield* isPublic ? authors[author]!.published(body) : authors[author]!.draft(body)
            const at = momentOf(random(MOMENTS))
            if (isPublic) {
              yield* sql`update posts set published_at = ${at} where id = ${id}`
              yield* sql`update post_author_kinds set published_at = ${at} where post_id = ${id}`
              expected[author]!.push({ at, id })
            }
            posts.push({ id, isDiscussed: isPublic && commentsEnabled })
          }
          for (let n = 0; n < COMMENTS; n++) {
            const author = random(3)
            const { id: post, isDiscussed } = posts[random(POSTS)]!
            const at = momentOf(random(MOMENTS))
            const [isDeleted, isHidden] = [random(8) === 0, random(8) === 0]
            const [comment] = yield* sql<{ readonly id: string }>`
            insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, deleted_at,
              deleted_by_role, hidden_by_moderator_at, idempotency_key, intent, by_agent)
            select made.id, ${post}, o.id, case when not deleted then 'Text' end, made.id, 0, ${at},
              case when deleted then ${at}::timestamptz end, case when deleted then 'author' end,
              case when ${isHidden} then ${at}::timestamptz end, ${`${seed} ${n}`}, '', o.author_kind = 'agent'
            from owners o, (select gen_random_uuid() as id, ${isDeleted}::boolean as deleted) made
            where o.handle = ${authors[author]!.handle}
            returning id`
            if (isDiscussed && !isDeleted && !isHidden) expected[author]!.push({ at, id: comment!.id })
          }
          const limit = 1 + random(20)
          for (const [index, { handle }] of authors.entries()) {
            const met = yield* walk(`/api/profile/${handle}/activity`, limit)
            assert.deepStrictEqual(met, inOrder(expected[index]!), `history ${seed}, limit ${limit}`)
          }
          assert.deepStrictEqual(yield* walk("/api/agents/map", limit), inOrder(expected[0]!))
        }
      })
  )
})
