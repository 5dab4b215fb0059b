import { Effect, Option, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { GiftState } from "../../../schemas/payments/gifts/Gift.ts"
import {
  type GiftId,
  type GiftRedemptionId,
  OwnerId,
  PostId,
  type UploadOperationId
} from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { isMissingReference } from "../../platform/sql/missingReference.ts"
import { statements } from "../../platform/sql/statements.ts"
import { isForSale } from "../../publishing/posts/fileForSale.sql.ts"
import { giftState } from "./giftState.sql.ts"

/** The name of a redemption, by which repeats find it: an account, an Idempotency-Key, or none. */
export interface Redeemer {
  readonly ownerId: OwnerId | null
  readonly keyHash: Uint8Array | null
  /** The file for which they redeem. */
  readonly fileId?: UploadOperationId | undefined
}

/** A gift as the holder of its token sees it. */
const OfferedRow = Schema.Struct({
  owner_id: OwnerId,
  post_id: PostId,
  secret_hash: Schema.Uint8Array,
  state: GiftState,
  /** True once those who redeemed it lost their access. */
  is_ended: Schema.Boolean,
  is_public: Schema.Boolean,
  enable_paywall: Schema.Boolean,
  /** True for the author of the Post and for its buyers. */
  is_owned: Schema.Boolean,
  /** False when the redeemer wants a file that is not for sale. */
  has_file: Schema.Boolean,
  redeemed_at: Schema.NullOr(Timestamp)
})
export type OfferedRow = typeof OfferedRow.Type

/** A Post that a gift opens, and its author, who gives it. */
const GivenRow = Schema.Struct({ title: Schema.String, author: Schema.String })

/** A redemption that is not saved yet. */
interface NewRedemption extends Redeemer {
  readonly id: GiftRedemptionId
  readonly giftId: GiftId
  readonly postId: PostId
  readonly at: Date
}

/** A redemption as the holder of its receipt claims it. */
const ClaimedRow = Schema.Struct({
  post_id: PostId,
  redeemed_at: Timestamp,
  /** True when the redemption is the account's, by this claim or an earlier one. */
  is_theirs: Schema.Boolean
})

const decodeClaimed = Schema.decodeUnknownEffect(ClaimedRow)

/** Statements over `gift_redemptions`. */
export const redemptionStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, one } = statements(sql, "redemptions")

  /** True for the author of the Post, and for its buyers. */
  const isOwned = (owner: OwnerId | null, post: Statement.Fragment) => sql`
    (exists (select from posts where id = ${post} and owner_id = ${owner}::uuid)
      or exists (select from purchases b where b.post_id = ${post} and b.buyer_id = ${owner}::uuid)
      or exists (select from purchases b join owners w on w.wallet_public_key = b.payer_key
        where b.post_id = ${post} and w.id = ${owner}::uuid))`

  const hasFile = (file: UploadOperationId | undefined) =>
    file === undefined
      ? sql`true`
      : sql`exists (select from post_attachments f where f.post_id = p.id and ${isForSale(sql, file)})`

  /** The Post that is held, if it has the file; then the file is held, too. */
  const target = (file: UploadOperationId | undefined) =>
    file === undefined
      ? sql`select p.* from post p`
      : sql`select p.* from post p join post_attachments f on f.post_id = p.id and ${isForSale(sql, file)} for share of f`

  return {
    /** Returns a gift, even of a Post that is not public, with the redemption by this redeemer if there is one. */
    offered: (id: GiftId, { fileId, keyHash, ownerId }: Redeemer, at: Date) => maybe("offered", OfferedRow)`
      select g.owner_id, g.post_id, g.secret_hash, ${giftState(sql, at)} as state, g.access_ended_at is not null as is_ended,
        exists (select from public_posts where public_posts.id = p.id) as is_public, p.enable_paywall,
        ${isOwned(ownerId, sql`g.post_id`)} as is_owned, ${hasFile(fileId)} as has_file,
        wire_time(coalesce(
          (select r.created_at from gift_redemptions r where r.gift_id = g.id and r.reader_id = ${ownerId}::uuid),
          (select r.created_at from gift_redemptions r where r.gift_id = g.id and r.key_hash = ${keyHash}::bytea)
        )) as redeemed_at
      from gifts g join posts p on p.id = g.post_id where g.id = ${id}`,

    /** Names a public Post, and its author. */
    named: (id: PostId) => maybe("named", GivenRow)`
      select p.title, o.name as author from public_posts p join owners o on o.id = p.owner_id where p.id = ${id}`,

    /**
     * Saves a redemption and counts it, as long as the gift is active, and its Post and the file are for sale.
     * Otherwise, or if the redeemer has already redeemed the gift, returns false: the surrounding transaction must then be
     * rolled back.
     */
    // The Post is held first, so that a file of it is removed before the redemption or knows of it. Of two requests of one
    // redeemer, the second waits for the insert. The update then waits for the other redeemers of the gift, and sees what
    // they left.
    redeem: Effect.fn("redemptions.redeem")(
      ({ at, fileId, giftId, id, keyHash, ownerId, postId }: NewRedemption) => sql`
        with post as materialized (
          select p.id, p.enable_paywall from public_posts p where p.id = ${postId} for key share of p),
        target as materialized (${target(fileId)}),
        made as (
          insert into gift_redemptions (id, gift_id, post_id, reader_id, key_hash, created_at)
          select ${id}::uuid, ${giftId}::uuid, p.id, ${ownerId}::uuid, ${keyHash}::bytea, ${at}::timestamptz from target p
          on conflict do nothing returning gift_id)
        update gifts g set redemptions = g.redemptions + 1
        from made, target p
        where g.id = made.gift_id and p.id = g.post_id and ${giftState(sql, at)} = 'active'
          and p.enable_paywall
        returning g.id`,
      Effect.map((rows) => rows.length === 1),
      // The Post was deleted meanwhile, and the gift with it.
      Effect.catchIf(isMissingReference, () => Effect.succeed(false)),
      Effect.orDie
    ),

    /**
     * Makes an account the reader of the redemption of a receipt, unless that has one, or the account redeemed the same
     * gift, bought the Post or wrote it. Returns none for a receipt that does not belong to a gift.
     */
    // Of two claims, the second waits for the row, and sees whose it is.
    claim: Effect.fn("redemptions.claim")(
      (tokenHash: Uint8Array, owner: OwnerId) => sql`
        with shown as materialized (
          select r.id, r.gift_id, r.post_id, r.reader_id, r.created_at
          from access_receipts a join gift_redemptions r on r.id = a.redemption_id join gifts g on g.id = r.gift_id
          where a.token_hash = ${tokenHash} and a.revoked_at is null and g.access_ended_at is null
          for no key update of r
        ), claimed as (
          update gift_redemptions r set reader_id = ${owner} from shown
          where r.id = shown.id and shown.reader_id is null and not ${isOwned(owner, sql`shown.post_id`)}
            and not exists (select from gift_redemptions o where o.gift_id = shown.gift_id and o.reader_id = ${owner})
          returning r.id
        )
        select post_id, wire_time(created_at) as redeemed_at,
          coalesce(reader_id = ${owner}, false) or exists (select from claimed) as is_theirs
        from shown`,
      // The account redeemed the gift at this moment; a second look sees this.
      Effect.retry({ times: 1, while: ({ reason }) => reason._tag === "UniqueViolation" }),
      Effect.flatMap(([row]) =>
        Effect.transposeOption(Option.map(Option.fromUndefinedOr(row), decodeClaimed))
      ),
      Effect.orDie
    ),

    isReader: (owner: OwnerId, postId: PostId) =>
      Effect.map(
        one("isReader", Schema.Struct({ is_reader: Schema.Boolean }))`
          select exists (
            select from gift_redemptions r join gifts g on g.id = r.gift_id
            where r.post_id = ${postId} and r.reader_id = ${owner} and g.access_ended_at is null) as is_reader`,
        ({ is_reader }) => is_reader
      )
  }
})
