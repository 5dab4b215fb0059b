import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"

/** Number of newest Posts among which the last choice is found. */
const NEWEST = 20

/** The author's word about how a Post was made. */
export interface CreationRow {
  readonly method: CreationMethod
  readonly details: string | null
}

/** The statement that reads how an author said that the last Post was made. */
export const lastCreationStatements = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Returns the word of the newest Post that has one, among the newest Posts of an owner. */
  of: (owner: OwnerId) =>
    sql<CreationRow>`
      select creation_method as method, creation_details as details
      from (select * from posts where owner_id = ${owner}
        order by created_at desc, id desc limit ${sql.literal(String(NEWEST))}) newest
      where creation_method is not null order by created_at desc, id desc limit 1`.pipe(
      Effect.map(([row]) => Option.fromUndefinedOr(row)),
      Effect.orDie
    )
}))
