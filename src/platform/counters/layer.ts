import { type Effect, Layer } from "effect"
import type { CountedRows } from "./audit.sql.ts"
import { Counters } from "./Counters.ts"
import { CountersRepo } from "./CountersRepo.ts"
import type { CounterTable } from "./counterTable.sql.ts"

/** Counters over the tables that show them. */
export const layer = <R>(tables: Effect.Effect<ReadonlyArray<CounterTable>, never, R>, rows: CountedRows) =>
  Counters.layer(tables, rows).pipe(Layer.provide(CountersRepo.layer))
