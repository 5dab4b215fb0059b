import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { statements } from "../../platform/sql/statements.ts"

/**
 * Statements over `post_author_kinds`, which has a row for each public Post. Every write holds the row of the Post's owner:
 * it locks that row first, so that no kind is older than the owner's.
 */
export const postAuthorKindStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { run } = statements(sql, "postAuthorKinds")

  return {
    /** Gives the public Posts of an owner the owner's new kind. */
    change: (owner: OwnerId, kind: AuthorKind) => run("change")`
      update post_author_kinds set author_kind = ${kind} where owner_id = ${owner} and author_kind <> ${kind}`
  }
})
