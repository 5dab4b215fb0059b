import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { type PageHeading, RENDERER } from "../../publishing/content/html/pageText.ts"
import type { WholeHtml, WholeText } from "../../publishing/posts/texts/texts.sql.ts"

/** Statements over the HTML of versions that were sold, which their first reader makes. */
export const soldHtmlStatements = Effect.map(SqlClient.SqlClient, (sql): WholeHtml => {
  const isVersion = (
    id: PostId,
    { free_content_markdown: free, paid_content_markdown: paid }: WholeText
  ) => sql`
    post_id = ${id} and free_content_markdown is not distinct from ${free}
      and paid_content_markdown is not distinct from ${paid}`

  return {
    find: (id, text) =>
      sql<{ readonly html: string; readonly headings: ReadonlyArray<PageHeading> }>`
        select html, headings from sold_versions
        where ${isVersion(id, text)} and renderer = ${RENDERER} and html is not null limit 1`.pipe(
        Effect.map(([row]) => Option.fromUndefinedOr(row)),
        Effect.orDie
      ),
    save: (id, text, { headings, html }) =>
      Effect.orDie(sql`
        update sold_versions set renderer = ${RENDERER}, html = ${html}, headings = ${JSON.stringify(headings)}::jsonb
        where ${isVersion(id, text)}`)
  }
})
