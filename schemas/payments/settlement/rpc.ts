import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { actionFields } from "../../accounts/administration/rpc.ts"
import { CommentId, OwnerId, PostId, SettlementId } from "../../platform/Ids.ts"
import { NanoAddress, RawDigits } from "../../platform/Nano.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { Transaction } from "../finance/amounts.ts"

/** Default number of settlements of a page. */
export const SETTLEMENTS_DEFAULT = 50
/** Settlements of a page, at most. */
const SETTLEMENTS_MAX = 100

/** States without a known outcome. A lapsed settlement has waited for seven days, and may still settle at any time. */
export const UnresolvedState = Schema.Literals(["settling", "lapsed"])

/**
 * A block that pays for one thing, as the operator sees it. `lastFailure` is the reason why the last look did not
 * settle it, such as `ledger_unavailable`, `unconfirmed` or `gap`. For a refused settlement, it is the reason of the
 * refusal.
 */
export const SettlementReport = Schema.Struct({
  id: SettlementId,
  kind: Schema.Literals(["purchase", "tip"]),
  channel: Schema.Literals(["x402", "session", "claim"]),
  state: Schema.Literals(["settling", "lapsed", "settled", "refused"]),
  lastFailure: Schema.NullOr(Schema.String),
  postId: Schema.NullOr(PostId),
  commentId: Schema.NullOr(CommentId),
  recipientId: OwnerId,
  buyerId: Schema.NullOr(OwnerId),
  transaction: Transaction,
  payer: NanoAddress,
  payTo: NanoAddress,
  amountRaw: RawDigits,
  looks: Schema.Int,
  createdAt: Timestamp,
  ageSeconds: Schema.Int,
  nextLookAt: Schema.NullOr(Timestamp)
})
export type SettlementReport = typeof SettlementReport.Type

/** The number of settlements of a page. */
export const SettlementsLimit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: SETTLEMENTS_MAX }))

/** Asks for unresolved settlements. The cursor is the `nextCursor` of the previous page. */
export const UnresolvedQuery = Schema.Struct({
  state: Schema.optionalKey(UnresolvedState),
  limit: Schema.optionalKey(SettlementsLimit),
  cursor: Schema.optionalKey(SettlementId)
})
export type UnresolvedQuery = typeof UnresolvedQuery.Type

export const UnresolvedPage = Schema.Struct({
  settlements: Schema.Array(SettlementReport),
  nextCursor: Schema.NullOr(SettlementId)
})
export type UnresolvedPage = typeof UnresolvedPage.Type

/** There is no settlement with this id. */
export class SettlementNotFound extends Schema.TaggedError<SettlementNotFound>()("SettlementNotFound", {
  settlementId: SettlementId
}) {}

/** Settlements without a known outcome, for the operator. */
export class SettlementsRpcs extends RpcGroup.make(
  /** Lists unresolved settlements, the oldest first. */
  Rpc.make("payments.settlements.list", { payload: UnresolvedQuery, success: UnresolvedPage }),
  /**
   * Looks up a settlement on the ledger now, and sends its block again if the ledger does not have it. Only the ledger
   * decides the outcome. Safe to repeat.
   */
  Rpc.make("payments.settlements.look", {
    payload: { settlementId: SettlementId, ...actionFields },
    success: SettlementReport,
    error: SettlementNotFound
  })
).middleware(Administrator) {}
