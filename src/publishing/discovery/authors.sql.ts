import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { authorColumns, type AuthorRow } from "../../accounts/owners/authorRow.ts"
import { asSearch } from "../../platform/sql/asSearch.ts"
import { prepared } from "../../platform/sql/prepared.ts"

/** Maximum number of authors that a search names. */
const AUTHORS = 5

/** Maximum number of authors with these words that are compared. Many share a name. */
const COMPARED = 1_000

/** The statement that finds authors by the words of their name and handle. */
export const authorStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const number = (value: number) => sql.literal(String(value))

  const matching = prepared<AuthorRow>(sql)(
    ["handle", "words"],
    ({ handle, words }) => sql`
      select ${sql.literal(authorColumns("author", "o"))} from (
        (select * from public_owners where lower(handle) = lower(${handle}) and is_author)
        union all
        (select * from public_owners where words @@ (select to_tsquery('words', ${words}))
          and is_author and lower(handle) <> lower(${handle}) limit ${number(COMPARED)})) o
      order by lower(o.handle) = lower(${handle}) desc, o.follower_count desc, o.published_post_count desc, o.id
      limit ${number(AUTHORS)}`
  )

  return {
    /** Returns authors of published Posts: the one with this handle, then those with these words, most followed first. */
    matching: (words: string, handle: string) => Effect.orDie(asSearch(matching({ handle, words })))
  }
})
