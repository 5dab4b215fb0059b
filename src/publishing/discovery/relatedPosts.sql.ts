import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { prepared } from "../../platform/sql/prepared.ts"
import { comparedColumns, relatedTo } from "./related.sql.ts"
import { summaryColumns, type SummaryRow } from "./summary.ts"

/** The statement that finds what readers of a Post may read next. */
export const relatedStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  // A row without a Post says that the Post has no related ones.
  const related = prepared<SummaryRow>(sql)(
    ["id", "limit"],
    ({ id, limit }) => sql`
      with it as materialized (
        select ${sql.literal(comparedColumns)} from posts p where p.status = 'published' and p.id = ${id}
      ), ${sql.literal(relatedTo)}
      select summaries.* from it left join (
        select ${sql.literal(summaryColumns)}, first.position
        from (select * from related order by position limit ${limit}) first
        join posts p using (id) join owners o on o.id = p.owner_id and o.restricted_at is null
        join post_counts n on n.post_id = p.id
      ) summaries on true
      order by summaries.position`
  )

  return {
    /** Returns the Posts that are related to a published Post; none without that Post. */
    to: (id: PostId, limit: number) =>
      Effect.orDie(
        Effect.map(asSearch(related({ id, limit })), (rows) =>
          rows.length === 0 ? Option.none() : Option.some(rows.filter((row) => row.id !== null))
        )
      )
  }
})
