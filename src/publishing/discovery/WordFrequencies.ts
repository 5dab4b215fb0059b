import { Context, Effect, Layer } from "effect"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { WordFrequenciesRepo } from "./WordFrequenciesRepo.ts"

/** The words of many Posts, with the share of Posts that have each. */
export class WordFrequencies extends Context.Service<
  WordFrequencies,
  {
    /** Takes over what PostgreSQL found when it last analyzed the Posts. Writes only what differs. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/publishing/discovery/WordFrequencies") {
  static readonly layer = Layer.effect(
    WordFrequencies,
    Effect.gen(function* () {
      const { takeOver } = yield* WordFrequenciesRepo
      const transactions = yield* Transactions
      return WordFrequencies.of({
        sweep: transactions.run(takeOver).pipe(Effect.withSpan("WordFrequencies.sweep"))
      })
    })
  )
}
