import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { actionFields } from "../../accounts/administration/rpc.ts"
import { ObligationId } from "../../platform/Ids.ts"
import { BlockHash } from "../../platform/NanoBlock.ts"
import { Administrator } from "../../platform/security/administrator.ts"
import { Obligation, Obligations, ObligationState } from "./Finance.ts"

/** There is no obligation with this id. */
export class ObligationNotFound extends Schema.TaggedError<ObligationNotFound>()("ObligationNotFound", {
  obligationId: ObligationId
}) {}

/** The obligation is blocked, or was already paid with another block. */
export class ObligationNotOwed extends Schema.TaggedError<ObligationNotOwed>()("ObligationNotOwed", {
  obligationId: ObligationId,
  state: ObligationState
}) {}

/** The ledger does not show a confirmed send of this amount to the bound address, or the block was already used. */
export class ObligationBlockMismatch extends Schema.TaggedError<ObligationBlockMismatch>()(
  "ObligationBlockMismatch",
  { obligationId: ObligationId }
) {}

/** The ledger has not confirmed the block yet, or does not have it yet. Nothing was recorded. */
export class ObligationBlockUnconfirmed extends Schema.TaggedError<ObligationBlockUnconfirmed>()(
  "ObligationBlockUnconfirmed",
  { obligationId: ObligationId }
) {}

/** The ledger is unavailable. Nothing was recorded. */
export class ObligationLedgerAway extends Schema.TaggedError<ObligationLedgerAway>()("ObligationLedgerAway", {
  obligationId: ObligationId
}) {}

/** Obligations of the platform to authors, for the operator. */
export class ObligationsRpcs extends RpcGroup.make(
  /** Lists at most 100 unpaid obligations in a state, oldest first. */
  Rpc.make("payments.obligations.list", {
    payload: { state: Schema.optionalKey(Schema.Literals(["owed", "blocked"])) },
    success: Obligations
  }),
  /** Records the block that paid an obligation, after a check on the ledger. Safe to repeat with the same block. */
  Rpc.make("payments.obligations.pay", {
    payload: { obligationId: ObligationId, block: BlockHash, ...actionFields },
    success: Obligation,
    error: Schema.Union([
      ObligationNotFound,
      ObligationNotOwed,
      ObligationBlockMismatch,
      ObligationBlockUnconfirmed,
      ObligationLedgerAway
    ])
  })
).middleware(Administrator) {}
