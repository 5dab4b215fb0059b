import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Redeemed } from "../../../schemas/payments/gifts/Gift.ts"
import type { GiftId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { statements } from "../../platform/sql/statements.ts"
import { GiftRow } from "./giftRow.ts"
import { giftState } from "./giftState.sql.ts"

/** A gift that is not saved yet. */
interface NewGift {
  readonly id: GiftId
  readonly ownerId: OwnerId
  readonly postId: PostId
  readonly secretHash: Uint8Array
  readonly label: string | null
  readonly maxRedemptions: number
  readonly at: Date
  /** A timestamp keeps its microseconds. */
  readonly expiresAt: Date | Timestamp | null
}

/** A slice of the gifts of an owner, of one Post or of all. */
interface Slice {
  readonly postId: PostId | undefined
  readonly after: GiftId | undefined
  readonly limit: number
  readonly at: Date
}

const PostRow = Schema.Struct({ slug: Schema.String, handle: Schema.String, enable_paywall: Schema.Boolean })

const CountRow = Schema.Struct({ active: Schema.Int })

/** Statements over `gifts`. */
export const giftStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one } = statements(sql, "gifts")

  const columns = (at: Date) => sql`
    g.id, g.post_id, g.label, g.max_redemptions, g.redemptions, wire_time(g.expires_at) as expires_at,
    wire_time(g.revoked_at) as revoked_at, wire_time(g.access_ended_at) as access_ended_at,
    ${giftState(sql, at)} as state, wire_time(g.created_at) as created_at`

  return {
    /** Returns a published Post of the owner, and keeps it as it is until the surrounding transaction ends. */
    holdPost: (owner: OwnerId, id: PostId) => maybe("holdPost", PostRow)`
      select p.slug, o.handle, p.enable_paywall from public_posts p join owners o on o.id = p.owner_id
      where p.id = ${id} and p.owner_id = ${owner}
      for share of p`,

    /**
     * Erases gifts of an author that no one redeemed. The others end, without their labels, and those who redeemed them read
     * on.
     */
    eraseSome: (owner: OwnerId, at: Date, limit: number) => changed("eraseSome")`
      with theirs as materialized (
        select id, exists (select from gift_redemptions r where r.gift_id = gifts.id) as is_redeemed from gifts
        where owner_id = ${owner} and (label is not null or revoked_at is null
          or not exists (select from gift_redemptions r where r.gift_id = gifts.id))
        limit ${limit} for update
      ), gone as (
        delete from gifts g using theirs where g.id = theirs.id and not is_redeemed returning g.id
      ), ended as (
        update gifts g set label = null, revoked_at = coalesce(revoked_at, ${at}::timestamptz)
        from theirs where g.id = theirs.id and is_redeemed returning g.id
      )
      select from gone union all select from ended`,

    // Two scans of one index, which has those that may be active by their expiry.
    countActive: (owner: OwnerId, at: Date) =>
      Effect.map(
        one("countActive", CountRow)`
          select count(*)::int as active from (
            select from gifts where owner_id = ${owner} and revoked_at is null and redemptions < max_redemptions
              and expires_at > ${at}
            union all
            select from gifts where owner_id = ${owner} and revoked_at is null and redemptions < max_redemptions
              and expires_at is null) active`,
        ({ active }) => active
      ),

    insert: (gift: NewGift) => one("insert", GiftRow)`
      insert into gifts as g ${sql.insert({
        id: gift.id,
        owner_id: gift.ownerId,
        post_id: gift.postId,
        secret_hash: gift.secretHash,
        label: gift.label,
        max_redemptions: gift.maxRedemptions,
        created_at: gift.at,
        expires_at: gift.expiresAt
      })} returning ${columns(gift.at)}`,

    ofOwner: (owner: OwnerId, id: string, at: Date) => maybe("ofOwner", GiftRow)`
      select ${columns(at)} from gifts g where g.id = ${id} and g.owner_id = ${owner}`,

    /** Returns gifts of any owners, in any order. */
    byIds: (ids: ReadonlyArray<GiftId>, at: Date) => many("byIds", GiftRow)`
      select ${columns(at)} from gifts g where g.id = any(${ids}::uuid[])`,

    /** Returns the newest gifts of an owner, and one beyond the slice when there are more. */
    slice: (owner: OwnerId, { after, at, limit, postId }: Slice) => {
      const isOfPost = postId === undefined ? sql`true` : sql`g.post_id = ${postId}`
      const isNext = after === undefined ? sql`true` : sql`g.id < ${after}`
      return many("slice", GiftRow)`
        select ${columns(at)} from gifts g where g.owner_id = ${owner} and ${isOfPost} and ${isNext}
        order by g.id desc limit ${limit + 1}`
    },

    /** Ends a gift, and the access by it when asked. Each keeps the time of its end. */
    revoke: (owner: OwnerId, id: GiftId, redeemed: Redeemed, at: Date) => maybe("revoke", GiftRow)`
      update gifts g set revoked_at = coalesce(g.revoked_at, ${at}),
        access_ended_at = coalesce(g.access_ended_at, case when ${redeemed} = 'revoke' then ${at}::timestamptz end)
      where g.id = ${id} and g.owner_id = ${owner} returning ${columns(at)}`
  }
})

/** Erases gifts of accounts that are deleted. Gifts that were redeemed stay for their readers. */
export const giftErasure = Effect.map(giftStatements, ({ eraseSome }) => ({ eraseSome }))
