import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Mails } from "../../../src/platform/mail/Mails.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { database } from "../../support/Database.ts"
import { planNodes, rowsRead, wholeTables } from "../../support/plans.ts"
import { soak } from "../../support/soak.ts"
import { outbox, post, rows } from "./outbox.ts"

const BULK = soak(10_000, 50_000)

layer(outbox(database("test_mail_plans")))(
  `the claims of an outbox with ${BULK} mails that may wait`,
  (it) => {
    it.effect("A claim reads the mails that it claims, and few others", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* post()
        const [code] = yield* rows
        const at = yield* now
        yield* sql`
        insert into mails (id, recipient, mailbox, sealed_content, created_at, expires_at, due_at, is_bulk)
        select gen_random_uuid(), 'bea@example.org', 'bea@example.org', ${code!.sealed_content}, ${at}, ${later(at, 86_400_000)}, ${at}, true
        from generate_series(1, ${BULK}::int)`
        yield* sql`vacuum analyze mails`.unprepared
        const { claim, claimBulk } = yield* Mails
        const asked = { at: later(at, 1), leaseUntil: at, limit: 2 }
        for (const claims of [claim, claimBulk]) {
          const nodes = yield* planNodes("force_custom_plan", claims(asked))
          assert.notInclude(wholeTables(nodes), "mails")
          assert.isAbove(rowsRead(nodes, "mails"), 0)
          assert.isBelow(rowsRead(nodes, "mails"), 20)
        }
      })
    )
  }
)
