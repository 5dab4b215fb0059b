import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Restrictions } from "../../../src/engagement/moderation/Restrictions.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { claimRestrictions, followRestrictions, LEASE_MILLIS } from "../../support/actors/moderator.ts"
import { completePost } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"

const reason = "A test"

/** Copies a public Post of an owner, as often as that. */
const copies = (sql: SqlClient.SqlClient, id: string, count: number) =>
  Effect.all([
    sql`
      insert into posts (id, owner_id, status, title, description, free_content_markdown, enable_paywall,
        primary_category_id, slug, slug_base, slug_number, language, comments_enabled, creation_method,
        creation_attested, created_at, updated_at, published_at, first_published_at)
      select gen_random_uuid(), owner_id, status, title, description, free_content_markdown, enable_paywall,
        primary_category_id, slug || '-copy-' || n, slug || '-copy', n, language, comments_enabled, creation_method,
        creation_attested, created_at, updated_at, published_at - n * interval '1.000001 second', first_published_at
      from posts, generate_series(1, ${count}::integer) n where id = ${id}`,
    sql`insert into post_counts (post_id) select id from posts where status = 'published' on conflict do nothing`,
    sql`
      insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
      select id, owner_id, 'human', published_at from posts where status = 'published' on conflict do nothing`,
    sql`
      with counted as (
        update published_post_counts set posts = posts + ${count},
          by_category[3] = coalesce(by_category[3], 0) + ${count}
        where part = 0)
      update owners set published_post_count = published_post_count + ${count}
      where id = (select owner_id from posts where id = ${id})`
  ])

const publicOf = (sql: SqlClient.SqlClient, id: string) =>
  sql`
    select slug, wire_time(published_at) as at from posts
    where owner_id = (select owner_id from posts where id = ${id}) and status = 'published' order by slug`

layer(service(database("test_restriction_work"), 1, { adminToken: ADMIN_TOKEN }))(
  "the work after a restriction",
  (it) => {
    const restrictedWithMany = Effect.fnUntraced(function* (number: number, count: number) {
      const sql = yield* SqlClient.SqlClient
      const moderator = yield* administrator()
      const author = yield* authorOf(number)
      const { id } = yield* author.published()
      yield* copies(sql, id, count)
      assert.deepStrictEqual(yield* wrongCounts(sql), [])
      const before = yield* publicOf(sql, id)
      assert.lengthOf(before, count + 1)
      const { handle } = author
      return {
        sql,
        id,
        before,
        restrict: moderator["accounts.restrict"]({ handle, reason }),
        unrestrict: moderator["accounts.unrestrict"]({ handle, reason })
      }
    })

    it.effect("The work goes in steps of 200 Posts, both to restrict and to restore", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const { before, id, restrict, sql, unrestrict } = yield* restrictedWithMany(1, 449)
        yield* restrict
        assert.strictEqual(yield* followRestrictions, 3)
        assert.deepStrictEqual(yield* publicOf(sql, id), [])
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
        yield* unrestrict
        assert.strictEqual(yield* followRestrictions, 3)
        assert.deepStrictEqual(yield* publicOf(sql, id), before)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      })
    )

    it.effect("A restriction that ends early is undone, and its late step changes nothing", () =>
      Effect.gen(function* () {
        const { before, id, restrict, sql, unrestrict } = yield* restrictedWithMany(2, 449)
        const { follow } = yield* Restrictions
        yield* restrict
        const [first] = yield* claimRestrictions
        yield* follow(first!)
        assert.lengthOf(yield* publicOf(sql, id), 250)
        const [late] = yield* claimRestrictions
        yield* unrestrict
        yield* follow(late!)
        assert.lengthOf(yield* publicOf(sql, id), 250)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
        yield* followRestrictions
        assert.deepStrictEqual(yield* publicOf(sql, id), before)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      })
    )

    it.effect("The work of a process that died is done when its lease has ended", () =>
      Effect.gen(function* () {
        const { id, restrict, sql } = yield* restrictedWithMany(3, 10)
        yield* restrict
        assert.lengthOf(yield* claimRestrictions, 1)
        assert.strictEqual(yield* followRestrictions, 0)
        yield* TestClock.adjust(LEASE_MILLIS)
        assert.strictEqual(yield* followRestrictions, 1)
        assert.deepStrictEqual(yield* publicOf(sql, id), [])
      })
    )

    it.effect("A Post that lost what a public Post needs stays a draft", () =>
      Effect.gen(function* () {
        const { before, id, restrict, sql, unrestrict } = yield* restrictedWithMany(4, 2)
        yield* restrict
        yield* followRestrictions
        // As the rejection of its only image does.
        yield* sql`update posts set free_content_markdown = null where id = ${id}`
        yield* unrestrict
        yield* followRestrictions
        assert.deepStrictEqual(yield* publicOf(sql, id), before.slice(1))
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      })
    )
  }
)

describe("restriction in two processes", () => {
  it.effect("A restriction while Posts are published leaves none of them public", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_restriction_race", { adminToken: ADMIN_TOKEN })
      const clients = processes.map((process) => Context.get(process, TestClient))
      const sql = Context.get(processes[0], SqlClient.SqlClient)
      const outcomes = new Set<number>()
      for (let round = 1; round <= 4; round++) {
        const author = yield* authorOf(round).pipe(Effect.provide(processes[0]))
        const ids = yield* Effect.forEach(Array.from({ length: 12 }), () =>
          Effect.map(author.create(completePost), ({ body }) => body.id as string)
        ).pipe(Effect.provide(processes[0]))
        const publish = Effect.forEach(
          ids,
          (id, n) =>
            clients[n % 2]!.send("POST", `/api/v1/posts/${id}/publish`, {
              token: author.key,
              headers: { "idempotency-key": id }
            }),
          { concurrency: "unbounded" }
        )
        const moderator = yield* administrator().pipe(Effect.provide(processes[1]))
        const restrict = moderator["accounts.restrict"]({ handle: author.handle, reason })
        const follow = Effect.provide(followRestrictions, processes[0])
        const [answers] = yield* Effect.all([publish, Effect.andThen(restrict, follow)], { concurrency: 2 })
        for (const { status } of answers) outcomes.add(status)
        yield* follow
        assert.deepStrictEqual(yield* sql`select id from posts where status = 'published'`, [])
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      }
      assert.isTrue([...outcomes].every((status) => status === 200 || status === 403))
      assert.include([...outcomes], 403)
    })
  )

  it.effect("Many concurrent restrictions and their ends leave the state of the last one", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_restriction_storm", { adminToken: ADMIN_TOKEN })
      const sql = Context.get(processes[0], SqlClient.SqlClient)
      const author = yield* authorOf(1).pipe(Effect.provide(processes[0]))
      yield* Effect.provide(author.published(), processes[0])
      const moderators = yield* Effect.forEach(processes, (process) =>
        Effect.provide(administrator(), process)
      )
      yield* Effect.forEach(
        Array.from({ length: 24 }, (_, n) => n),
        (n) =>
          n % 3 === 2
            ? Effect.asVoid(Effect.provide(followRestrictions, processes[n % 2]!))
            : Effect.asVoid(
                moderators[n % 2]![n % 3 === 0 ? "accounts.restrict" : "accounts.unrestrict"]({
                  handle: author.handle,
                  reason
                })
              ),
        { concurrency: "unbounded" }
      )
      yield* Effect.provide(followRestrictions, processes[0])
      const [state] = yield* sql<{ readonly agrees: boolean }>`
        select (o.restricted_at is null) = (p.status = 'published') as agrees
        from posts p join owners o on o.id = p.owner_id`
      assert.isTrue(Option.getOrThrow(Option.fromUndefinedOr(state)).agrees)
      assert.deepStrictEqual(yield* wrongCounts(sql), [])
    })
  )
})
