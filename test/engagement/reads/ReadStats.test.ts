import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { PostStatsPage } from "../../../schemas/engagement/reads/ReadStats.ts"
import { Reads } from "../../../src/engagement/reads/Reads.ts"
import { statsPeriodOf } from "../../../src/engagement/reads/statsPeriod.ts"
import { paid } from "../../payments/finance/selling.ts"
import { PRICE_RAW, sellerOf } from "../../payments/settlement/paying.ts"
import { type Author, authorOf, refusalOf } from "../../support/actors/author.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service, type TestAnswer, TestClient } from "../../support/TestClient.ts"
import { atNoon, daysOf, NOON, pageOf, statsOf, TODAY, visit } from "./reading.ts"

const DAY = 24 * 60 * 60 * 1000

/** Sends a request for statistics, with the key of an author. */
const ask = Effect.fnUntraced(function* ({ key }: Author, path: string) {
  const client = yield* TestClient
  return yield* client.send("GET", `/api/v1/stats/posts${path}`, { token: key })
})

/** An answer, and the statements that made it. */
interface AnsweredInStatements {
  readonly answer: TestAnswer
  readonly statements: ReadonlyArray<string>
}

/** Stores reads of a Post on a day. */
const stored = Effect.fnUntraced(function* (
  postId: string,
  day: string,
  people: number,
  sources: Readonly<Record<string, number>> = {}
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into post_reads (post_id, day, owner_id, people, agents, crawlers, feeds, people_walls, agent_walls,
      people_checkouts, agent_checkouts, visitors, sources)
    select id, ${day}::date, owner_id, ${people}, 1, 0, 0, 0, 0, 0, 0, ${people}, ${JSON.stringify(sources)}::jsonb
    from posts where id = ${postId}`
})

layer(service(database("test_read_stats")))("the statistics of an author", (it) => {
  it.effect("Days are inclusive, in UTC, and newest first, with the sales of each", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON - DAY)
      const { author, postId, payTo, target } = yield* sellerOf(1)
      const page = pageOf(author, (yield* author.read(postId)).body)
      yield* visit(page)
      const payer = yield* payerOf(2)
      yield* payer.fund()
      yield* paid(payer, { target, payTo, amountRaw: PRICE_RAW })
      yield* TestClock.setTime(Date.parse(`${TODAY}T00:00:00Z`))
      yield* visit(page)
      yield* visit(page)
      const { data } = yield* statsOf(author)
      assert.strictEqual(data[0]?.reads.people, 3)
      const days = yield* daysOf(author, postId)
      assert.deepStrictEqual(
        days.map(({ day, reads, sales, unit, walls }) => [day, unit, reads.people, walls, sales]),
        [
          ["2026-11-29", "day", 2, 2, 0],
          ["2026-11-28", "day", 1, 1, 1]
        ]
      )
      for (const [query, count] of [
        ["?from=2026-11-28&to=2026-11-28", 1],
        ["?from=2026-11-29&to=2026-11-29", 2],
        ["?from=2026-11-28&to=2026-11-29", 3],
        ["?to=2026-11-27", 0]
      ] as const) {
        const list = yield* statsOf(author, query)
        assert.strictEqual(list.data[0]?.reads.people, count, query)
        assert.lengthOf(yield* daysOf(author, postId, query), count === 3 ? 2 : Math.min(count, 1), query)
      }
    })
  )

  it.effect(
    "A Post of another author answers like a missing one, and a key of an owner session is refused",
    () =>
      Effect.gen(function* () {
        yield* atNoon
        const [author, other] = [yield* authorOf(3), yield* authorOf(4)]
        const { id } = yield* author.published()
        const asked = yield* ask(other, `/${id}/days`)
        const missing = yield* ask(other, "/0190f3c2-7b1e-7c4a-9d52-000000000000/days")
        assert.strictEqual(asked.status, 404)
        assert.deepStrictEqual(asked.body, missing.body)
        assert.deepStrictEqual(yield* daysOf(author, id), [])
        const client = yield* TestClient
        const session = yield* client.send("GET", "/api/v1/stats/posts", { token: author.accessToken })
        assert.strictEqual(session.status, 401)
        assert.deepStrictEqual((yield* statsOf(other)).data, [])
      })
  )

  it.effect("A period is checked, and the reason names the parameter", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(5)
      const { id } = yield* author.published()
      for (const path of ["", `/${id}/days`])
        for (const [query, field] of [
          ["?from=2026-11-30", "to"],
          ["?from=2026-11-02&to=2026-11-01", "to"],
          ["?from=2025-11-28", "from"],
          ["?from=2026-02-30", "from"]
        ] as const)
          assert.deepStrictEqual(
            refusalOf(yield* ask(author, `${path}${query}`)),
            [422, "validation", `${field} invalid`],
            `${path}${query}`
          )
      const order = yield* ask(author, "?sort=title")
      assert.strictEqual(order.status, 422)
    })
  )

  it.effect("A long list is read in pages, in its order, each by one statement, and each Post once", () =>
    Effect.gen(function* () {
      yield* atNoon
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(6)
      const first = yield* author.published()
      yield* sql`
        insert into posts (id, owner_id, status, title, description, enable_paywall, slug, language, comments_enabled,
          creation_attested, created_at, updated_at, published_at, first_published_at)
        select gen_random_uuid(), owner_id, status, title, description, false, 'post-' || n, 'en', true, true, created_at,
          updated_at, published_at, first_published_at
        from posts, generate_series(1, 119) n where id = ${first.id}`
      const ids = yield* sql<{ readonly id: string }>`
        select id from posts where owner_id = (select owner_id from posts where id = ${first.id}) order by slug`
      for (const [n, { id }] of ids.entries())
        if (n % 3 > 0) yield* stored(id, TODAY, n % 7, { "a.example": n })
      for (const sort of ["reads", "visitors", "walls", "checkouts", "sales"] as const) {
        const seen: Array<string> = []
        const places: Array<number> = []
        let cursor: string | null = ""
        while (cursor !== null) {
          const path: string = `?sort=${sort}&cursor=${encodeURIComponent(cursor)}`
          const { answer, statements }: AnsweredInStatements = yield* statementsOf(ask(author, path))
          assert.strictEqual(answer.status, 200, answer.text)
          const page: PostStatsPage = answer.body
          assert.lengthOf(
            statements.filter((it) => it.includes("post_reads")),
            1
          )
          for (const it of page.data) {
            seen.push(it.postId)
            places.push(sort === "reads" ? it.reads.people + it.reads.agents : it[sort])
          }
          cursor = page.nextCursor
        }
        assert.lengthOf(seen, ids.length)
        assert.lengthOf(new Set(seen), ids.length)
        assert.deepStrictEqual(
          places,
          places.toSorted((one, other) => other - one)
        )
      }
      const { nextCursor } = yield* statsOf(author)
      const elsewhere = yield* ask(author, `?sort=sales&cursor=${encodeURIComponent(nextCursor ?? "")}`)
      assert.deepStrictEqual(refusalOf(elsewhere), [422, "validation", "cursor invalid"])
    })
  )

  it.effect("Drafts that were never public are not listed, and an unpublished Post keeps its reads", () =>
    Effect.gen(function* () {
      yield* atNoon
      const author = yield* authorOf(7)
      yield* author.draft({ title: "Draft" })
      const post = yield* author.published({ title: "Public once" })
      yield* visit(pageOf(author, post))
      yield* author.unpublish(post.id)
      const { data } = yield* statsOf(author)
      assert.deepStrictEqual(
        data.map(({ reads, title }) => [title, reads.people]),
        [["Public once", 1]]
      )
    })
  )

  it.effect("Days become months after a year, before a sweep as after it", () =>
    Effect.gen(function* () {
      yield* atNoon
      const { sweep } = yield* Reads
      const author = yield* authorOf(8)
      const { id } = yield* author.published()
      yield* stored(id, "2025-09-01", 1, { "a.example": 1 })
      yield* stored(id, "2025-10-01", 2, { "a.example": 2, "b.example": 1 })
      yield* stored(id, "2025-10-31", 3, { "a.example": 1 })
      yield* stored(id, "2025-11-01", 4)
      const read = Effect.gen(function* () {
        // A month belongs to the period as a whole.
        const days = yield* daysOf(author, id, "?from=2025-10-15&to=2025-11-30")
        const { data } = yield* statsOf(author, "?from=2025-10-15&to=2025-11-30")
        return { days, data }
      })
      const before = yield* read
      assert.deepStrictEqual(
        before.days.map(({ day, reads, sources, unit, visitors }) => [
          day,
          unit,
          reads.people,
          visitors,
          sources
        ]),
        [
          ["2025-11-01", "day", 4, 4, []],
          [
            "2025-10-01",
            "month",
            5,
            5,
            [
              { host: "a.example", count: 3 },
              { host: "b.example", count: 1 }
            ]
          ]
        ]
      )
      assert.strictEqual(before.data[0]?.reads.people, 9)
      yield* sweep
      assert.deepStrictEqual(yield* read, before)
      yield* sweep
      assert.deepStrictEqual(yield* read, before)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select day::text, is_month from post_reads where post_id = ${id} order by day`
      assert.deepStrictEqual(rows, [
        { day: "2025-09-01", is_month: true },
        { day: "2025-10-01", is_month: true },
        { day: "2025-11-01", is_month: false }
      ])
    })
  )

  it("A period without days is the last 30", () => {
    assert.deepInclude(statsPeriodOf({}, TODAY), { from: "2026-10-31", to: TODAY })
    assert.deepInclude(statsPeriodOf({ to: "2026-03-01" }, TODAY), { from: "2026-01-31", to: "2026-03-01" })
    assert.deepInclude(statsPeriodOf({ from: "2024-02-10", to: "2024-02-11" }, TODAY), {
      from: "2024-02-01",
      to: "2024-02-29"
    })
  })
})
