import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

const IdRow = Schema.Struct({ id: Schema.String })

/** Finds which subjects of actions are of one account: its posts, comments and uploads, and the reports about any of them. */
export const ownSubjects = Effect.map(SqlClient.SqlClient, (sql) => {
  const { many } = statements(sql, "ownSubjects")

  return (owner: OwnerId, subjects: ReadonlyArray<string>): Effect.Effect<ReadonlySet<string>> =>
    Effect.map(
      many("find", IdRow)`
        with subjects as (select unnest(${subjects}::uuid[]) as id)
        select r.id from reports r join subjects s on s.id = r.id where r.author_id = ${owner}
        union all
        select p.id from posts p join subjects s on s.id = p.id where p.owner_id = ${owner}
        union all
        select c.id from comments c join subjects s on s.id = c.id where c.author_id = ${owner}
        union all
        select u.id from upload_operations u join subjects s on s.id = u.id where u.owner_id = ${owner}`,
      (rows) => new Set(rows.map(({ id }) => id))
    )
})
