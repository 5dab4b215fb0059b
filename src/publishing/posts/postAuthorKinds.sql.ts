import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { AuthorKinds } from "../../accounts/owners/AuthorKinds.ts"
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

/**
 * Labels the Posts of an owner, in a service without Comments. Over a database with Comments, these would keep the
 * former kind of their author.
 */
export const withoutComments = Layer.effect(
  AuthorKinds,
  Effect.map(postAuthorKindStatements, ({ change }) => AuthorKinds.of({ changed: change }))
)
