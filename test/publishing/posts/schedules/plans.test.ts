import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { later, now } from "../../../../src/platform/time/now.ts"
import { listPosts } from "../../../../src/publishing/posts/listPosts.sql.ts"
import { scheduleStatements } from "../../../../src/publishing/posts/schedules/schedules.sql.ts"
import { insertOwner, insertPost } from "../../../support/actors/storedOwner.ts"
import { database } from "../../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../../support/plans.ts"
import { soak } from "../../../support/soak.ts"

const DUE = soak(10_000, 50_000)
const TABLE = "scheduled_publications"

layer(database("test_schedule_plans"))(`reads of ${DUE} schedules`, (it) => {
  it.effect("A claim, the schedules of a key and those of an owner read few rows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const at = yield* now
      const owner = yield* insertOwner(1)
      const id = yield* insertPost(1, owner, "draft")
      const other = yield* insertOwner(2)
      yield* sql`
        insert into posts (id, owner_id, title, description, enable_paywall, slug, language, comments_enabled,
          creation_attested, created_at, updated_at)
        select md5(n::text)::uuid, ${other}, 'A', '', false, 'p-' || n, 'en', true, false, ${at}, ${at}
        from generate_series(1, ${DUE}::int) n`
      yield* sql`
        insert into scheduled_publications (id, owner_id, api_key_id, publish_at, created_at, due_at)
        select p.id, p.owner_id, p.owner_id, ${at}, ${at}, ${at} from posts p`
      yield* sql`vacuum analyze scheduled_publications, posts, owners`.unprepared
      const schedules = yield* scheduleStatements
      const list = yield* listPosts
      const reads: ReadonlyArray<Effect.Effect<unknown>> = [
        schedules.claim({ at: later(at, 1), leaseUntil: at, limit: 4 }),
        schedules.countByKey(owner),
        schedules.slice(owner, undefined, 100),
        schedules.end(owner, id, at),
        list(owner, { status: undefined, isScheduled: true, page: 1, perPage: 20 })
      ]
      for (const read of reads) {
        const nodes = yield* planNodes("force_custom_plan", read)
        assert.notInclude(wholeTables(nodes), TABLE)
        assert.isBelow(rowsRead(nodes, TABLE), 20)
      }
    })
  )
})
