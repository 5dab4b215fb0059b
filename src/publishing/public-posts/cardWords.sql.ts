import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { prepared } from "../../platform/sql/prepared.ts"

/** The words of a Post and its author on the picture of a shared link. */
export interface CardWordsRow {
  readonly title: string
  readonly name: string
  readonly handle: string
}

/** The statement that reads the words on the picture of a shared link. */
export const cardWordsStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const words = prepared<CardWordsRow>(sql)(
    ["id"],
    ({ id }) => sql`
      select coalesce(p.og_title, p.title) as title, o.name, o.handle
      from public_posts p join owners o on o.id = p.owner_id where p.id = ${id}`
  )

  return {
    /** Returns the words of a public Post. */
    of: (id: PostId) => Effect.orDie(Effect.map(words({ id }), ([row]) => Option.fromUndefinedOr(row)))
  }
})
