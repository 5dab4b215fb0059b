import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { NotificationMails } from "../../../../src/engagement/notifications/mails/NotificationMails.ts"
import { later, now } from "../../../../src/platform/time/now.ts"
import { database } from "../../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../../support/plans.ts"
import { soak } from "../../../support/soak.ts"
import { service } from "../../../support/TestClient.ts"

const DUE = soak(20_000, 100_000)

layer(service(database("test_notification_mail_plans")))(`a claim of ${DUE} mails that are due`, (it) => {
  it.effect("A claim reads the mails that it claims, and few others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const at = yield* now
      yield* sql`
        insert into notification_mails (id, recipient_id, type, created_at, due_at)
        select gen_random_uuid(), gen_random_uuid(), 'new_post', ${at}, ${at} from generate_series(1, ${DUE}::int)`
      yield* sql`vacuum analyze notification_mails`.unprepared
      const { claim } = yield* NotificationMails
      // The lease ends at once, so that the explained statement finds the same rows.
      const asked = { at: later(at, 1), leaseUntil: at, limit: 2 }
      const nodes = yield* planNodes("force_custom_plan", claim(asked))
      assert.notInclude(wholeTables(nodes), "notification_mails")
      assert.isAbove(rowsRead(nodes, "notification_mails"), 0)
      assert.isBelow(rowsRead(nodes, "notification_mails"), 20)
    })
  )
})
