import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Words of Posts in the planner's statistics. Null words pad the array: it ends with three other numbers. */
const known = `
  select known.word, known.frequency
  from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) as known (word, frequency)
  where schemaname = current_schema() and tablename = 'posts' and attname = 'search' and known.word is not null`

/** The words of many Posts, with the share of Posts that have each: `word_frequencies`. */
export class WordFrequenciesRepo extends Context.Service<
  WordFrequenciesRepo,
  {
    /** Takes over what PostgreSQL found when it last analyzed the Posts. Writes only what differs, in the transaction of the caller. */
    readonly takeOver: Effect.Effect<void>
  }
>()("pennypress/publishing/discovery/WordFrequenciesRepo") {
  static readonly layer = Layer.effect(
    WordFrequenciesRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const takeOver = Effect.gen(function* () {
        // One process at a time writes. Readers do not wait.
        yield* sql`lock table word_frequencies in share row exclusive mode`
        yield* sql`
          with known as materialized (${sql.literal(known)}),
          forgotten as (
            delete from word_frequencies kept where not exists (select from known where known.word = kept.word))
          insert into word_frequencies as kept (word, frequency)
          select known.word, known.frequency from known left join word_frequencies already using (word)
          where already.frequency is distinct from known.frequency
          on conflict (word) do update set frequency = excluded.frequency`
      })

      return WordFrequenciesRepo.of({
        takeOver: Effect.orDie(takeOver)
      })
    })
  )
}
