import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { prepared } from "../../platform/sql/prepared.ts"
import { summaryColumns, type SummaryRow } from "../../publishing/discovery/summary.ts"

/** Newest Posts of a period that are compared, at most: the cost does not grow with the number of Posts. */
const COMPARED = 500

/** Reads the lists of pages that the API does not have. */
export class ListsRepo extends Context.Service<
  ListsRepo,
  {
    /** Returns the Posts since a moment with most reactions, without those that have none. */
    readonly mostReacted: (since: Date, limit: number) => Effect.Effect<ReadonlyArray<SummaryRow>>
  }
>()("pennypress/reading/lists/ListsRepo") {
  static readonly layer = Layer.effect(
    ListsRepo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const mostReacted = prepared<SummaryRow>(sql)(
        ["since", "limit"],
        ({ limit, since }) => sql`
          select ${sql.literal(summaryColumns)}
          from (
            select recent.id from (
              select id, published_at from posts where status = 'published' and published_at > ${since}
              order by published_at desc, id desc limit ${sql.literal(String(COMPARED))}) recent
            join post_counts c on c.post_id = recent.id
            where c.reactions > 0 order by c.reactions desc, recent.published_at desc limit ${limit}) chosen
          join posts p on p.id = chosen.id join owners o on o.id = p.owner_id join post_counts n on n.post_id = p.id
          where o.restricted_at is null
          order by n.reactions desc, p.published_at desc`
      )

      return ListsRepo.of({
        mostReacted: (since, limit) => Effect.orDie(mostReacted({ since, limit }))
      })
    })
  )
}
