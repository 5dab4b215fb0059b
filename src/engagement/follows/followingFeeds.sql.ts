import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { FollowingFeedId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"

/** A new address of an owner's feed. */
interface NewFeed {
  readonly owner: OwnerId
  readonly id: FollowingFeedId
  readonly tokenHash: Uint8Array
  readonly at: Date
  /** Replaces only this feed, or makes the first one for null. Undefined replaces any feed. */
  readonly former: FollowingFeedId | null | undefined
}

const FeedRow = Schema.Struct({ id: FollowingFeedId, created_at: Timestamp })
const HolderRow = Schema.Struct({ owner_id: OwnerId, id: FollowingFeedId })

/** Statements over `following_feeds`. */
export const followingFeedStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, maybe, run } = statements(sql, "followingFeeds")
  const columns = sql.literal("f.id, wire_time(f.created_at) as created_at")

  return {
    find: (owner: OwnerId) =>
      maybe("find", FeedRow)`select ${columns} from following_feeds f where f.owner_id = ${owner}`,

    /** Saves an address in the place of the former one. Returns none if another one is there by now. */
    save: ({ at, former, id, owner, tokenHash }: NewFeed) => maybe("save", FeedRow)`
      insert into following_feeds as f (owner_id, id, token_hash, created_at)
      values (${owner}, ${id}, ${tokenHash}, ${at})
      on conflict (owner_id) do update set
        id = excluded.id, token_hash = excluded.token_hash, created_at = excluded.created_at
      ${former === undefined ? sql`` : sql`where f.id = ${former}::uuid`}
      returning ${columns}`,

    remove: (owner: OwnerId) => run("remove")`delete from following_feeds where owner_id = ${owner}`,

    erase: (owner: OwnerId) => changed("erase")`delete from following_feeds where owner_id = ${owner}`,

    /** Returns the owner of a feed; none for a restricted one. */
    holder: (tokenHash: Uint8Array) => maybe("holder", HolderRow)`
      select f.owner_id, f.id from following_feeds f join public_owners o on o.id = f.owner_id
      where f.token_hash = ${tokenHash}`
  }
})

/** Erases the feeds of accounts that are deleted. */
export const followingFeedErasure = Effect.map(followingFeedStatements, ({ erase }) => ({ erase }))
