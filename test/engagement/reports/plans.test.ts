import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { reportQueueStatements } from "../../../src/engagement/reports/reportQueue.sql.ts"
import { insertOwner, insertPost } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"

const OWNERS = 40
const REPORTS = 12_000
const AT = new Date(Date.UTC(2026, 5, 1))
const PAGE = 50

/** Reports of all owners on the Posts of one, a minute apart: a third each is open, claimed and resolved. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const author = yield* insertOwner(0)
  for (let n = 1; n <= OWNERS; n++) yield* insertOwner(n)
  for (let n = 0; n < REPORTS / OWNERS; n++) yield* insertPost(n, author, "published")
  yield* sql`
    insert into reports (id, reporter_id, target_kind, target_id, author_id, reason, idempotency_key, fingerprint, created_at,
      claimed_by, claimed_until, resolved_at, resolved_by, outcome)
    select gen_random_uuid(), o.id, 'post', p.id, ${author}::uuid, 'Spam', p.place::text, '', timestamptz '2026-01-01 00:00:00Z' + r.place * interval '1 minute',
      case r.place % 3 when 1 then 'ada' end, case r.place % 3 when 1 then ${AT}::timestamptz + interval '1 hour' end,
      case r.place % 3 when 2 then ${AT}::timestamptz end, case r.place % 3 when 2 then 'ada' end,
      case r.place % 3 when 2 then 'dismissed' end
    from (select id, row_number() over (order by id) - 1 as place from posts) p
    join (select id, row_number() over (order by id) - 1 as place from owners where id <> ${author}) o on true
    cross join lateral (select p.place * ${OWNERS} + o.place as place) r`
  yield* sql`analyze owners, posts, reports`
})

layer(database("test_reports_plans"))("the queue of reports", (it) => {
  it.effect("The queue reads an index at any depth, and no more than the page", () =>
    Effect.gen(function* () {
      yield* seed
      const { list } = yield* reportQueueStatements
      const deep = { createdAt: "2026-01-08T00:00:00.000Z", id: "00000000-0000-4000-8000-000000000000" }
      for (const status of ["open", "claimed", "resolved"] as const) {
        for (const after of [undefined, deep]) {
          const query = { status, at: AT, after, limit: PAGE }
          assert.lengthOf(yield* list(query), PAGE)
          for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
            const nodes = yield* planNodes(mode, list(query))
            assert.notInclude(wholeTables(nodes), "reports", `${status} ${mode}`)
            // The reports of each target are counted, forty a row.
            assert.isAtMost(rowsRead(nodes, "reports"), 2 * PAGE + OWNERS * PAGE, `${status} ${mode}`)
          }
        }
      }
    })
  )
})
