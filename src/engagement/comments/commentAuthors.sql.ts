import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/** First key of the advisory lock on the Comments of an author; the second is the author's number. */
const LOCK = 7_104_220

/** Statements over all Comments of an author. */
export const commentAuthorStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { run } = statements(sql, "commentAuthors")
  /** Makes the writes of an author's Comments take turns until the surrounding transaction ends. */
  const lock = (author: OwnerId) => run("lock")`
    select pg_advisory_xact_lock(${LOCK}, hashtext(${author}::text))`

  return {
    lock,

    /** Gives the Comments of an author the author's new kind. A Comment that is being saved with the former kind comes first. */
    change: (author: OwnerId, kind: AuthorKind) =>
      Effect.andThen(
        lock(author),
        run("change")`
          update comments set by_agent = ${kind === "agent"}
          where author_id = ${author} and by_agent <> ${kind === "agent"}`
      )
  }
})
