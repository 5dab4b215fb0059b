import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { WatchingWorker } from "../../../src/payments/sessions/WatchingWorker.ts"
import { NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { now } from "../../../src/platform/time/now.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service } from "../../support/TestClient.ts"
import { sale } from "./sessionWorld.ts"

const ADDRESSES = 500

/** A ledger without payments. It counts the questions. */
const asked = { looks: 0, atOnce: 0, mostAtOnce: 0 }
const quiet = Layer.effect(
  NanoLedger,
  Effect.map(NanoLedger, (ledger) => ({
    ...ledger,
    confirmations: () => Stream.never,
    incoming: () =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          asked.looks++
          asked.atOnce++
          asked.mostAtOnce = Math.max(asked.mostAtOnce, asked.atOnce)
        }),
        () => Effect.as(Effect.yieldNow, []),
        () => Effect.sync(() => asked.atOnce--)
      )
  }))
)

layer(
  service(database("test_sessions_many"), 1, { changePorts: (ports) => Layer.provideMerge(quiet, ports) })
)("many watched addresses", (it) => {
  it.effect("Each due address is looked at a single time, and sixteen are looked at together", () =>
    Effect.gen(function* () {
      const { buy } = yield* sale
      yield* buy
      const sql = yield* SqlClient.SqlClient
      const at = yield* now
      yield* sql`
          insert into payment_sessions (id, kind, recipient_id, key_hash, intent, token_hash, pay_to_key, base_raw, amount_raw,
            created_at, expires_at, late_until)
          select gen_random_uuid(), 'tip', recipient_id, sha256(n::text::bytea), '', token_hash, sha256(n::text::bytea),
            base_raw, base_raw + n, created_at - interval '1 hour', created_at - interval '45 minutes',
            late_until - interval '1 hour'
          from generate_series(1, ${ADDRESSES}::int) n, (select * from payment_sessions limit 1) s`
      yield* sql`delete from watched_accounts`
      yield* sql`
          insert into watched_accounts (id, key, active_until, due_at)
          select gen_random_uuid(), pay_to_key, late_until, ${at} from payment_sessions where expires_at <= ${at}`
      yield* Layer.build(WatchingWorker)
      const waiting = Effect.map(
        sql<{
          readonly due: number
        }>`select count(*)::int4 as due from watched_accounts where due_at < ${at}::timestamptz + interval '100 seconds'`,
        ([row]) => row?.due === 0
      )
      yield* eventually("looked at", waiting)
      assert.strictEqual(asked.looks, ADDRESSES)
      assert.isAtMost(asked.mostAtOnce, 16)
      // The next look is five minutes later.
      for (let second = 0; second < 20; second++) yield* TestClock.adjust("1 second")
      assert.strictEqual(asked.looks, ADDRESSES)
    })
  )
})
