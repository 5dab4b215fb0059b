import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuthorKind } from "../../../schemas/accounts/profile/Profile.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isAccount, isRestricted, type NamedAccount } from "../owners/owners.sql.ts"

/** An account as those who administer it see it. How its owner signs in is not their business. */
const Account = Schema.Struct({
  id: OwnerId,
  handle: Schema.String,
  name: Schema.String,
  author_kind: AuthorKind,
  published_posts: Schema.Int,
  is_restricted: Schema.Boolean,
  is_moderator: Schema.Boolean,
  created_at: Timestamp
})
export type Account = typeof Account.Type

/** Statements that read accounts for those who administer them. */
export const accountStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe } = statements(sql, "accounts")
  const columns = sql.literal(`
    id, handle, name, author_kind, published_post_count as published_posts, ${isRestricted("owners")} as is_restricted,
    exists (select from moderators m where m.owner_id = owners.id) as is_moderator, wire_time(created_at) as created_at`)

  return {
    find: (account: NamedAccount) => maybe("find", Account)`
      select ${columns} from owners where ${isAccount(sql, account)}`
  }
})
