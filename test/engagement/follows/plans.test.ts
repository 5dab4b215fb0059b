import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { FollowLists } from "../../../src/engagement/follows/FollowLists.ts"
import { Follows } from "../../../src/engagement/follows/Follows.ts"
import { ownFollowStatements } from "../../../src/engagement/follows/ownFollows.sql.ts"
import { fanoutStatements } from "../../../src/engagement/notifications/fanout/fanouts.sql.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { seedManyPosts } from "../../support/manyPosts.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"
import { soak } from "../../support/soak.ts"
import { service } from "../../support/TestClient.ts"

const FOLLOWERS = soak(10_000, 100_000)
/** Small enough that no statement meets its deadline on a slow machine. */
const PART = 10_000

const owner = (number: number) => OwnerId.make(`00000000-0000-4000-8000-${String(number).padStart(12, "0")}`)

/** The owner 0 has all these followers. The owner 1 follows 0 or 10,000 creators. */
const seed = Effect.fnUntraced(function* (following: number) {
  const sql = yield* SqlClient.SqlClient
  const follow = (follower: Statement.Fragment, creator: Statement.Fragment, from: number) => sql`
    insert into follows (id, follower_id, creator_id, created_at)
    select gen_random_uuid(), ${follower}, ${creator}, timestamptz 'epoch' + hashtext(o.handle) * interval '1 second'
    from owners o where o.id >= ${owner(from)} and o.id < ${owner(from + PART)}`
  const part = Effect.fnUntraced(function* (from: number) {
    // Without triggers: the counters are set below.
    yield* sql`set local session_replication_role = replica`
    yield* sql`
      insert into owners (id, kind, name, handle, created_at)
      select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'guest', 'Reader', 'reader_' || n,
        timestamptz 'epoch'
      from generate_series(${from}::integer, ${from + PART - 1}::integer) n`
    yield* follow(sql`o.id`, sql`${owner(0)}::uuid`, from)
    if (from === 2 && following > 0) yield* follow(sql`${owner(1)}::uuid`, sql`o.id`, from)
  })
  yield* sql`
    insert into owners (id, kind, name, handle, created_at, follower_count, following_count) values
      (${owner(0)}, 'guest', 'Popular', 'popular', timestamptz 'epoch', ${FOLLOWERS}, 0),
      (${owner(1)}, 'guest', 'Busy', 'busy', timestamptz 'epoch', 0, ${following})`
  for (let from = 2; from < FOLLOWERS; from += PART) yield* sql.withTransaction(part(from))
  yield* sql`analyze follows`
  yield* sql`analyze owners`
})

layer(service(database("test_follows_plans")))(`${FOLLOWERS} follows of one owner`, (it) => {
  it.effect("Lists and writes read only the rows that they need, by an index", () =>
    Effect.gen(function* () {
      yield* seed(PART)
      const lists = yield* FollowLists
      const follows = yield* Follows
      const popular = owner(0)
      const busy = owner(1)
      const counts = yield* lists.counts(popular, null)
      assert.deepStrictEqual(counts, { followers: FOLLOWERS, following: 0, viewerFollows: null })

      for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
        for (const [page, all, index] of [
          [lists.followers(popular, { page: 1, per_page: 50 }), FOLLOWERS, "follows_of_creator"],
          [
            lists.followers(popular, { page: FOLLOWERS / 100, per_page: 50 }),
            FOLLOWERS,
            "follows_of_creator"
          ],
          [lists.following(busy, { page: 1, per_page: 50 }), PART, "follows_of_follower"],
          [lists.following(busy, { page: 20, per_page: 50 }), PART, "follows_of_follower"]
        ] as const) {
          const { data, page: number, total } = yield* page
          assert.lengthOf(data, 50)
          assert.strictEqual(total, all)
          const nodes = yield* planNodes(mode, page)
          const walk = nodes.filter((node) => node["Relation Name"] === "follows")
          assert.deepStrictEqual(
            walk.map((node) => [node["Node Type"], node["Index Name"]]),
            [["Index Only Scan", index]],
            mode
          )
          assert.strictEqual(rowsRead(nodes, "follows"), number * 50)
          // The rows of the page, and the owner of the list.
          assert.strictEqual(rowsRead(nodes, "owners"), 51)
          assert.notInclude(wholeTables(nodes), "owners")
        }

        const other = sessionOf(owner(5))
        const effects: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>]> = [
          ["counts", lists.counts(popular, owner(2))],
          ["read", follows.read(sessionOf(owner(2)), popular)],
          ["begin", follows.save(other, owner(6), true)],
          ["end", follows.save(other, owner(6), false)]
        ]
        for (const [what, effect] of effects) {
          const nodes = yield* planNodes(mode, effect)
          assert.isAtMost(rowsRead(nodes, "follows"), 1, what)
          for (const table of ["follows", "owners"]) assert.notInclude(wholeTables(nodes), table, what)
        }
      }
    })
  )
})

// The average creator of these follows has them all, so a scan of the table seems to find one at once.
layer(service(database("test_follows_skewed")))(`${FOLLOWERS} follows of the only followed owner`, (it) => {
  it.effect("A publication looks for a follower of its author by an index", () =>
    Effect.gen(function* () {
      yield* seed(0)
      const { insertForFollowers } = yield* fanoutStatements
      const id = "10000000-0000-4000-8000-000000000000"
      const publication = { id, post_id: PostId.make(id), actor_id: owner(5), created_at: new Date(0) }
      for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
        const nodes = yield* planNodes(mode, insertForFollowers(publication))
        const walk = nodes.filter((node) => node["Relation Name"] === "follows")
        assert.deepStrictEqual(
          walk.map((node) => node["Actual Rows"]),
          [0],
          mode
        )
        // Both begin with the creator.
        assert.include(["follows_of_creator", "follows_to_tell"], walk[0]?.["Index Name"], mode)
      }
    })
  )
})

const POSTS = soak(10_000, 20_000)
/** Half of the authors. */
const FOLLOWS = POSTS / 20
const LIMIT = 20

layer(service(database("test_followed_posts_plans")))(
  `${FOLLOWS} follows of one owner among ${POSTS} posts`,
  (it) => {
    it.effect("The newest posts of all followed authors are a few looks at an index for each author", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* seedManyPosts(POSTS, 3)
        const reader = yield* insertOwner(1)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`set local session_replication_role = replica`
            yield* sql`
            insert into follows (id, follower_id, creator_id, created_at)
            select gen_random_uuid(), ${reader}, id, timestamptz '2026-01-01Z' + hashtext(handle) * interval '1 second'
            from owners where handle like 'author_%' order by handle limit ${FOLLOWS}`
          })
        )
        yield* sql`vacuum analyze follows, owners`.unprepared
        const { follows, posts } = yield* ownFollowStatements
        const first = yield* posts(reader, { after: undefined, limit: LIMIT })
        assert.lengthOf(first, LIMIT + 1)
        const expected = yield* sql<{ readonly id: string }>`
        select p.id from posts p join follows f on f.creator_id = p.owner_id
        order by p.published_at desc, p.id desc limit ${2 * LIMIT}`
        const idsOf = (rows: ReadonlyArray<{ readonly id: string }>) =>
          rows.slice(0, LIMIT).map(({ id }) => id)
        assert.deepStrictEqual(idsOf(first), idsOf(expected))
        const { id, published_at: at } = first[LIMIT - 1]!
        const after = { at, id }
        assert.deepStrictEqual(
          idsOf(yield* posts(reader, { after, limit: LIMIT })),
          idsOf(expected.slice(LIMIT))
        )

        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          for (const place of [undefined, after]) {
            const nodes = yield* planNodes(mode, posts(reader, { after: place, limit: LIMIT }))
            for (const table of ["posts", "owners", "post_counts"])
              assert.notInclude(wholeTables(nodes), table, mode)
            assert.isAtMost(rowsRead(nodes, "follows"), FOLLOWS, mode)
            // One Post of each author, all that the newest authors can have, and those of the page.
            assert.isAtMost(rowsRead(nodes, "posts"), FOLLOWS + (LIMIT + 1) ** 2 + LIMIT + 1, mode)
            assert.strictEqual(rowsRead(nodes, "post_counts"), LIMIT + 1, mode)
          }
          const nodes = yield* planNodes(mode, follows(reader, { after: undefined, limit: 50 }))
          assert.isAtMost(rowsRead(nodes, "follows"), 51, mode)
          assert.notInclude(wholeTables(nodes), "owners", mode)
        }
      })
    )
  }
)
