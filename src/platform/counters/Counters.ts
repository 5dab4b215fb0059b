import { Context, Effect, Layer, Metric, Option } from "effect"
import { PublicAnswers } from "../public-answers/PublicAnswers.ts"
import { Transactions } from "../sql/Transactions.ts"
import type { NextDue } from "../work/dueWork.ts"
import type { CountedRows } from "./audit.sql.ts"
import { changesDue, counterChangeStatements } from "./counterChanges.sql.ts"
import type { CounterTable } from "./counterTable.sql.ts"

/**
 * Names the bell of waiting changes. A write that appends some rings it by `ringHere`: a bell for other processes would
 * cost each write a statement while this process adds the changes before.
 */
export const COUNTERS = "counters"

/** Maximum number of changes that one transaction takes. */
const CHANGES_MAX = 10_000

/** Maximum number of subjects of each table that one sweep compares. */
const AUDITED_MAX = 500

const differences = Metric.counter("counter_differences_total", {
  description: "Counters that differed from the rows that they count, and were repaired",
  incremental: true
})

/**
 * Counters that strangers share, such as the reactions to a Post. A write appends a change to `counter_changes` in its
 * transaction and waits for no other writer. The sum of the row and of the waiting changes is exact at every moment.
 */
export class Counters extends Context.Service<
  Counters,
  {
    /** Adds the waiting changes to the rows that readers see. Processes take turns. */
    readonly add: Effect.Effect<void>
    /** The time when changes are due: long ago if some wait. */
    readonly nextDue: NextDue
    /**
     * Compares the counters of the next subjects of each table with the rows that they count. A difference is appended
     * as a change, logged and measured. Only one process at a time does this.
     */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/platform/counters/Counters") {
  /** The service over the tables that have counters. Only counters with an entry in `rows` are compared. */
  static readonly layer = <R>(
    tables: Effect.Effect<ReadonlyArray<CounterTable>, never, R>,
    rows: CountedRows
  ) =>
    Layer.effect(
      Counters,
      Effect.gen(function* () {
        const changes = yield* counterChangeStatements
        const transactions = yield* Transactions
        const { changing } = yield* PublicAnswers
        const all = yield* tables
        // A newer release may have counters that this one does not know.
        const known = all.flatMap(({ counters }) => counters)

        /** Adds some changes. Returns true when there may be more. */
        const step = transactions.run(
          Effect.gen(function* () {
            yield* changes.lock
            const sums = yield* changes.take(known, CHANGES_MAX)
            for (const { add, counters } of all) {
              const own = sums.filter(({ counter }) => counters.includes(counter))
              if (own.length > 0) yield* changing(yield* add(own))(Effect.void)
            }
            return sums.reduce((taken, sum) => taken + sum.taken, 0) === CHANGES_MAX
          })
        )

        /** Compares the next subjects of a table. */
        const audit = ({ audit, table }: CounterTable) =>
          transactions.run(
            Effect.gen(function* () {
              const after = yield* changes.position(table)
              if (Option.isNone(after)) return []
              const found = yield* audit(rows, after.value, AUDITED_MAX)
              yield* changes.savePosition(table, found.last)
              return found.differences
            })
          )

        return Counters.of({
          sweep: Effect.forEach(
            all,
            Effect.fnUntraced(function* (table) {
              for (const { amount, counter, subject_id } of yield* audit(table)) {
                yield* Metric.update(Metric.withAttributes(differences, { counter }), 1)
                yield* Effect.logWarning("A counter differed from its rows and was corrected").pipe(
                  Effect.annotateLogs({ counter, subject: subject_id, amount })
                )
              }
            }),
            { discard: true }
          ).pipe(Effect.withSpan("Counters.sweep")),
          add: step.pipe(
            Effect.repeat({ while: (mayBeMore) => mayBeMore }),
            Effect.asVoid,
            Effect.withSpan("Counters.add")
          ),
          nextDue: changesDue(known)
        })
      })
    )
}
