import { it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { LEASE_MILLIS } from "../../src/payments/settlement/settlement.ts"
import { STEP_LEASE_MILLIS } from "../../src/publishing/uploads/operation/deadlines.ts"
import { connectionTo } from "../services/uploadClient.ts"
import { eventually } from "../support/eventually.ts"
import { disconnected, kill } from "./machines.ts"
import { failuresOf } from "./record.ts"
import { databaseUrl, startOn, whole } from "./topology.ts"
import { underLoad } from "./underLoad.ts"

it.live("A service that is killed costs only the requests that it had", () =>
  underLoad("kill -9 of a service", ({ record, table }) =>
    Effect.gen(function* () {
      const sql = yield* connectionTo(Redacted.make(databaseUrl()))
      const killed = Date.now()
      yield* kill("pennypress-1")
      yield* disconnected("pennypress-1")
      const gone = Date.now()
      yield* Effect.sleep("3 seconds")
      table.told("requests failed that it had", failuresOf(record).length)
      table.none("requests failed that began without it", failuresOf(record, gone))

      const since = () => (Date.now() - killed) / 1000
      const at = new Date(killed)
      const none = (rows: ReadonlyArray<unknown>) => rows.length === 0
      yield* eventually(
        "its settlements are taken over",
        Effect.map(sql`select id from settlements where state = 'settling' and created_at < ${at}`, none)
      )
      table.atMost("seconds until its settlements ended", since(), LEASE_MILLIS / 1000 + 5)
      yield* startOn("pennypress-1")
      yield* whole
      yield* eventually(
        "its uploads are taken over",
        Effect.map(
          sql`select id from upload_operations where next_task is not null and next_task not in ('expire', 'receive')
            and created_at < ${at}`,
          none
        )
      )
      table.atMost("seconds until its uploads ended", since(), STEP_LEASE_MILLIS / 1000 + 15)
    })
  )
)
