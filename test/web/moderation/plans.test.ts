import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { accountStatements } from "../../../src/accounts/administration/accounts.sql.ts"
import { moderatorStatements } from "../../../src/accounts/administration/moderators.sql.ts"
import { restrictionStatements } from "../../../src/engagement/moderation/restrictions.sql.ts"
import { reportedThingStatements } from "../../../src/engagement/reports/reportedThings.sql.ts"
import { reportQueueStatements } from "../../../src/engagement/reports/reportQueue.sql.ts"
import { reportsAroundStatements } from "../../../src/engagement/reports/reportsAround.sql.ts"
import { operationStatements } from "../../../src/publishing/uploads/operation/operations.sql.ts"
import { healthStatements } from "../../../src/web/moderation/health.sql.ts"
import { database } from "../../support/Database.ts"
import { mostRows, planNodes, rowsRead, wholeTables } from "../../support/plans.ts"
import { soak } from "../../support/soak.ts"

const OWNERS = soak(10_000, 20_000)
const UPLOADS = soak(20_000, 40_000)
const SETTLED = soak(10_000, 20_000)
const REPORTS = soak(10_000, 20_000)
const TARGETS = 4_000
const AUTHORS = 400
const UNRESOLVED = REPORTS / 20
const AT = new Date(Date.UTC(2026, 5, 1))
const PAGE = 50

/** Accounts, uploads, payments and reports. Few need a look. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`
        insert into owners (id, kind, name, handle, created_at)
        select md5('owner' || n)::uuid, 'guest', 'Owner ' || n, 'owner_' || n, timestamptz 'epoch'
        from generate_series(1, ${OWNERS}::integer) n`
      yield* sql`
        insert into posts (id, owner_id, status, title, description, enable_paywall, slug, language, comments_enabled,
          creation_attested, created_at, updated_at)
        select md5('post' || n)::uuid, md5('owner' || n)::uuid, 'draft', 'Post ' || n, '', false, n::text, 'en', true, true,
          timestamptz '2025-01-01Z', timestamptz '2025-01-01Z' from generate_series(1, ${TARGETS}::integer) n`
      yield* sql`
        insert into comments (id, post_id, author_id, content, thread_root_id, depth, created_at, idempotency_key, intent,
          by_agent)
        select id, md5('post' || n)::uuid, md5('owner' || n)::uuid, 'Comment ' || n, id, 0, timestamptz '2025-01-01Z', n::text,
          '', false
        from generate_series(1, ${TARGETS}::integer) n, lateral (select md5('target' || n)::uuid as id) t`
      yield* sql`
        insert into moderators (owner_id, added_at)
        select md5('owner' || n)::uuid, timestamptz 'epoch' from generate_series(1, 5) n`
      yield* sql`
        insert into upload_operations (id, owner_id, target_kind, target_id, target_key, generation, request_key, created_at,
          state, due_at, policy_version, staged_bytes, verdict, decided_at)
        select gen_random_uuid(), md5('owner' || (1 + n % ${OWNERS}))::uuid, 'inline', gen_random_uuid(), n::text, 1, n::text, at,
          case n % 20 when 0 then 'rejected' when 1 then 'queued' else 'cleared' end, at, '1', 0,
          case n % 20 when 0 then 'rejected' when 1 then null else 'cleared' end, case n % 20 when 1 then null else at end
        from generate_series(1, ${UPLOADS}::integer) n, lateral (select timestamptz '2026-01-01Z' + n * interval '1 minute' as at) t`
      yield* sql`
        insert into settlements (id, kind, channel, state, recipient_id, block_hash, previous, payer_key, pay_to_key, pay_to_role,
          amount_raw, base_raw, created_at, settled_at, due_at)
        select gen_random_uuid(), 'tip', 'x402', case when n % 100 = 0 then 'settling' else 'settled' end,
          md5('owner1')::uuid, sha256(('b' || n)::bytea), sha256(('p' || n)::bytea), sha256('x'), sha256('y'), 'author', 1, 1, at,
          case when n % 100 <> 0 then at end, case when n % 100 = 0 then at end
        from generate_series(1, ${SETTLED}::integer) n, lateral (select timestamptz '2026-01-01Z' + n * interval '1 minute' as at) t`
      for (const table of ["purchases", "tips"])
        yield* sql`
          insert into ${sql(table)} (id, settlement_id, ${sql.literal(table === "tips" ? "recipient_id" : "post_id")}, payer_key,
            amount_raw, created_at)
          select gen_random_uuid(), id, recipient_id, payer_key, 1, created_at from settlements where state = 'settled'`
      yield* sql`
        insert into mails (id, recipient, mailbox, sealed_content, created_at, expires_at, due_at)
        select gen_random_uuid(), 'a@b.test', 'a@b.test', '', timestamptz '2026-01-01Z', timestamptz '2026-01-02Z',
          timestamptz '2026-01-01Z' from generate_series(1, 500) n`
      yield* sql`
        insert into reports (id, reporter_id, target_kind, target_id, author_id, reason, idempotency_key, fingerprint, created_at,
          resolved_at, resolved_by, outcome)
        select md5('report' || n)::uuid, md5('owner' || (1 + n % ${OWNERS}))::uuid, 'comment', md5('target' || (1 + n % ${TARGETS}))::uuid,
          md5('owner' || (1 + n % ${AUTHORS}))::uuid, 'Spam', n::text, '', at, case when n % 20 > 0 then at end, case when n % 20 > 0 then 'ada' end,
          case when n % 20 > 0 then 'dismissed' end
        from generate_series(1, ${REPORTS}::integer) n, lateral (select timestamptz '2026-01-01Z' + n * interval '1 minute' as at) t`
    })
  )
  yield* sql`vacuum analyze owners, posts, comments, moderators, upload_operations, settlements, purchases, tips, mails, reports`
    .unprepared
})

const seeded = Layer.effectDiscard(seed).pipe(Layer.provideMerge(database("test_moderate_plans")))

layer(seeded, { timeout: "2 minutes" })("The room of moderators over many rows", (it) => {
  it.effect(
    "No statement of the room reads a large table, and lists read no more than they show",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const accounts = yield* accountStatements
        const health = yield* healthStatements
        const moderators = yield* moderatorStatements
        const queue = yield* reportQueueStatements
        const uploads = yield* operationStatements
        const around = yield* reportsAroundStatements
        const things = yield* reportedThingStatements
        const restrictions = yield* restrictionStatements
        const [{ author } = { author: "" }] = yield* sql<{ readonly author: string }>`
          select author_id as author from reports where resolved_at is null limit 1`
        const [{ id } = { id: "" }] = yield* sql<{ readonly id: string }>`
          select target_id as id from reports order by created_at limit 1`
        const [first] = yield* queue.list({ status: "open", at: AT, after: undefined, limit: 1 })
        const [middle] = yield* queue
          .list({ status: "open", at: AT, after: undefined, limit: 100 })
          .pipe(Effect.map((reports) => reports.slice(-1)))
        const place = {
          id: middle!.id,
          createdAt: middle!.created_at,
          target: { id: middle!.target_id, kind: middle!.target_kind }
        }
        const owner = OwnerId.make("00000000-0000-4000-8000-000000000000")
        /** Small tables that PostgreSQL may read as a whole: waiting mails, open things, moderators. */
        const small = new Set(["moderators", "mails"])
        for (const mode of ["force_generic_plan", "force_custom_plan"] as const) {
          const all: ReadonlyArray<readonly [name: string, read: Effect.Effect<unknown>, rows: number]> = [
            ["the right of a moderator", moderators.acting(owner), 5],
            ["a moderator", moderators.includes(owner), 5],
            ["an account by handle", accounts.find({ handle: "OWNER_77" }), 5],
            ["an account by id", accounts.find({ id: owner }), 5],
            ["a report", queue.find(first!.id, AT), 10],
            ["the reports of a target", queue.ofTarget(id, AT, PAGE), 100],
            ["what is reported", things.of(first!.id), 5],
            ["the reports around one", around.around(place, owner, AT), 50],
            ["the reports of an author", around.ofAuthor(OwnerId.make(author), id, 10), UNRESOLVED],
            ["the reach of a restriction", restrictions.reach(OwnerId.make(author)), 10],
            ["the newest accounts", around.newestAccounts(20), 50],
            ["the most reported accounts", around.mostReported(20), UNRESOLVED],
            ["refused uploads", uploads.refused(PAGE), PAGE],
            ["late uploads", uploads.stuck(AT, PAGE), PAGE],
            ["health", health.read(AT), UPLOADS / 20]
          ]
          for (const [name, read, rows] of all) {
            const nodes = yield* planNodes(mode, read)
            assert.deepStrictEqual(
              wholeTables(nodes).filter((table) => !small.has(table ?? "")),
              [],
              `${name}, ${mode}`
            )
            assert.isAtMost(mostRows(nodes), rows, `${name}, ${mode}`)
          }
          const nodes = yield* planNodes(mode, health.read(AT))
          for (const table of ["purchases", "tips"])
            assert.isAtMost(rowsRead(nodes, table), 1, `${table}, ${mode}`)
          assert.isAtMost(rowsRead(nodes, "settlements"), SETTLED / 100, mode)
          assert.isAtMost(rowsRead(nodes, "reports"), REPORTS / 20, mode)
        }
      }),
    120_000
  )
})
