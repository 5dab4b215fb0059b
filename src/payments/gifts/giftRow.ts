import { Schema } from "effect"
import { type Gift, GiftState } from "../../../schemas/payments/gifts/Gift.ts"
import { GiftId, PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"

/** A gift as its author sees it; times are in their wire form. */
export const GiftRow = Schema.Struct({
  id: GiftId,
  post_id: PostId,
  label: Schema.NullOr(Schema.String),
  max_redemptions: Schema.Int,
  redemptions: Schema.Int,
  expires_at: Schema.NullOr(Timestamp),
  revoked_at: Schema.NullOr(Timestamp),
  access_ended_at: Schema.NullOr(Timestamp),
  state: GiftState,
  created_at: Timestamp
})
export type GiftRow = typeof GiftRow.Type

/** Returns a gift as its author sees it. */
export const giftOf = (row: GiftRow): Gift => ({
  id: row.id,
  postId: row.post_id,
  label: row.label,
  maxRedemptions: row.max_redemptions,
  redemptions: row.redemptions,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  accessEndedAt: row.access_ended_at,
  state: row.state,
  createdAt: row.created_at
})
