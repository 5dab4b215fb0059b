import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { DiscoveryDocuments } from "../../../src/web/discovery-documents/DiscoveryDocuments.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"
import { soak } from "../../support/soak.ts"
import { service } from "../../support/TestClient.ts"

const POSTS = soak(30_000, 100_000)
const OWNERS = 10_000
const AUTHORS = 100
/** Small enough that no statement meets its deadline on a slow machine. */
const PART = 10_000

/** Published Posts of a hundred authors among 10,000 owners. Each second one is for sale. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into owners (id, kind, name, handle, payout_address, created_at)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'guest', 'Owner', 'owner_' || n,
      'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3', timestamptz 'epoch'
    from generate_series(0, ${OWNERS - 1}::integer) n`
  const part = Effect.fnUntraced(function* (from: number) {
    // Without triggers: the counts are set below.
    yield* sql`set local session_replication_role = replica`
    yield* sql`
      with made as (
        insert into posts (id, owner_id, status, title, description, paid_content_markdown, enable_paywall, price_raw,
          primary_category_id, slug, language, comments_enabled, creation_method, creation_attested, created_at,
          updated_at, published_at)
        select gen_random_uuid(), ('00000000-0000-4000-8000-' || lpad((n / 2 % ${AUTHORS}::integer)::text, 12, '0'))::uuid,
          'published', 'Post ' || n, '', 'Text', n % 2 = 0, case when n % 2 = 0 then 1e28 end, 1, 'post-' || n, 'en', true, 'human_written', true, at, at, at
        from generate_series(${from}::integer, ${from + PART - 1}::integer) n,
          lateral (select timestamptz 'epoch' + n * interval '1 second' as at) t
        returning id)
      insert into post_counts (post_id) select id from made`
  })
  for (let from = 0; from < POSTS; from += PART) yield* sql.withTransaction(part(from))
  yield* sql`update published_post_counts set for_sale = ${POSTS / 2} where part = 0`
  // Without a visibility map each entry of an index looks at its row.
  yield* sql`vacuum analyze posts`.unprepared
  yield* sql`analyze post_counts, owners`
})

layer(service(database("test_documents_plans")))(`${POSTS} Posts`, (it) => {
  it.effect(
    "The documents read only the rows that they show, by an index, at any depth",
    () =>
      Effect.gen(function* () {
        yield* seed
        const documents = yield* DiscoveryDocuments
        const { pagination } = yield* documents.catalogue({ limit: 100, offset: 10_000 })
        assert.strictEqual(pagination.total, POSTS / 2)
        const deep = pagination.nextCursor!
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          const reads: ReadonlyArray<readonly [Effect.Effect<unknown, unknown>, number]> = [
            [documents.payments, 101],
            [documents.catalogue({ limit: 100 }), 101],
            [documents.catalogue({ limit: 100, cursor: deep }), 101],
            [documents.catalogue({ limit: 100, offset: 10_000 }), 10_101]
          ]
          for (const [read, walked] of reads) {
            const nodes = yield* planNodes(mode, read)
            assert.deepStrictEqual(
              wholeTables(nodes).filter((table) => table !== "published_post_counts"),
              [],
              mode
            )
            const index = nodes.find((node) => node["Index Name"] === "posts_for_sale")
            assert.strictEqual(index?.["Node Type"], "Index Only Scan", mode)
            assert.strictEqual(index?.["Actual Rows"], walked, mode)
            assert.strictEqual(rowsRead(nodes, "post_counts"), 101, mode)
          }
        }
      }),
    120_000
  )
})
