import { setTimeout } from "node:timers/promises"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Operation } from "../operation.ts"
import { answerOf, type Server } from "../servers.ts"

const REQUESTS = 500
/** PostgreSQL's processes report what they did within ten seconds, when they have nothing to do. */
const REPORT_MILLIS = 11_000
/** The service works by itself, too, a little more or less at each time. */
const TOLERANCE = 0.1

/** The work of PostgreSQL for one request. A statement outside a transaction is a transaction of its own. */
export interface Cost {
  readonly operation: string
  readonly transactions: number
  readonly transactionsMax: number
  readonly rowsWritten: number
}

const totals = Effect.gen(function* () {
  yield* Effect.promise(() => setTimeout(REPORT_MILLIS))
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql<{ readonly transactions: number; readonly rows: number }>`
    select (xact_commit + xact_rollback)::float8 as transactions,
      (select coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::float8 from pg_stat_user_tables) as rows
    from pg_stat_database where datname = current_database()`
  return row ?? { transactions: Number.NaN, rows: Number.NaN }
})

/** Returns what PostgreSQL did in a second of this work. */
const rates = Effect.fnUntraced(function* (work: Effect.Effect<void>) {
  const before = yield* totals
  const began = performance.now()
  yield* work
  const after = yield* totals
  const seconds = (performance.now() - began) / 1000
  return {
    seconds,
    transactions: (after.transactions - before.transactions) / seconds,
    rows: (after.rows - before.rows) / seconds
  }
})

/** Sends requests one after the other. Subtracts what the service does meanwhile by itself. */
export const costOf = Effect.fnUntraced(function* (
  server: Server,
  { name, request }: Operation,
  transactionsMax: number
) {
  const busy = yield* rates(
    Effect.promise(async () => {
      for (let n = 0; n < REQUESTS; n++) await answerOf(server, request())
    })
  )
  const idle = yield* rates(Effect.void)
  const perRequest = (measure: "transactions" | "rows") =>
    ((busy[measure] - idle[measure]) * busy.seconds) / REQUESTS
  return {
    operation: name,
    transactions: perRequest("transactions"),
    transactionsMax,
    rowsWritten: perRequest("rows")
  } satisfies Cost
})

export const costLine = ({ operation, rowsWritten, transactions, transactionsMax }: Cost): string =>
  `${operation}: ${transactions.toFixed(2)} transactions (target: at most ${transactionsMax}) and ` +
  `${rowsWritten.toFixed(2)} rows written (target: none) for a request`

/** Names the missed targets. */
export const costMissed = ({ operation, rowsWritten, transactions, transactionsMax }: Cost) => [
  ...(rowsWritten < TOLERANCE ? [] : [`${operation} writes ${rowsWritten.toFixed(2)} rows`]),
  ...(transactions < transactionsMax + TOLERANCE
    ? []
    : [`${operation} ${transactions.toFixed(2)} transactions (target ${transactionsMax})`])
]
