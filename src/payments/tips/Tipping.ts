import { Context, Effect, Layer, Option, Result } from "effect"
import type { OwnTipTarget } from "../../../schemas/payments/sessions/errors.ts"
import { TippingUnavailable } from "../../../schemas/payments/sessions/errors.ts"
import type { PaidTip, TipDraft } from "../../../schemas/payments/tips/Tip.ts"
import {
  LedgerAway,
  type PaymentIdentifierConflict,
  type PaymentRefused,
  type PaymentRequired,
  type PaymentsDisabled,
  type SettlementPending
} from "../../../schemas/payments/x402/errors.ts"
import { type NotFound, type RateLimited, Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { addressOfPublicKey } from "../../../schemas/platform/Nano.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { wireTime } from "../../platform/time/now.ts"
import { makeDemand } from "../paying/demand.ts"
import type { Settlement } from "../settlement/settlementRow.ts"
import { isBlockOf } from "../x402/checkBlock.ts"
import type { Payment } from "../x402/readPayment.ts"
import type { NamedTipTarget } from "./namedTipTarget.ts"
import { makePayTip } from "./payTip.ts"
import { tipAmountOf } from "./tipAmount.ts"
import { type TipTarget, TipTargets } from "./TipTargets.ts"

/** A request to tip. */
export interface TipRequest {
  readonly target: NamedTipTarget
  readonly draft: TipDraft
  readonly payerId: OwnerId | null
  readonly payment: Payment | undefined
  /** The address by which payments are limited. */
  readonly client: string
}

/** Reasons why a tip is not settled. */
export type TipRefusal =
  | NotFound
  | OwnTipTarget
  | TippingUnavailable
  | Validation
  | PaymentIdentifierConflict
  | PaymentRequired
  | SettlementPending
  | LedgerAway
  | PaymentsDisabled
  | RateLimited

const pathOf = (target: NamedTipTarget) => {
  switch (target.kind) {
    case "post":
      return `/api/posts/${target.postId}/tips`
    case "comment":
      return `/api/comments/${target.commentId}/tips`
    case "profile":
      return `/api/profile/${target.handle}/tips`
  }
}

/** Tips that are paid by x402. */
export class Tipping extends Context.Service<
  Tipping,
  {
    /** Settles the tip of a payment. Without a payment, requests one. A repeat of a settled payment returns its tip. */
    readonly tip: (request: TipRequest) => Effect.Effect<PaidTip, TipRefusal>
  }
>()("pennypress/payments/tips/Tipping") {
  static readonly layer = Layer.effect(
    Tipping,
    Effect.gen(function* () {
      const ledger = yield* NanoLedger
      const targets = yield* TipTargets
      const demand = yield* makeDemand
      const payTip = yield* makePayTip
      const baseUrl = yield* PublicBaseUrl

      const paidTip = Effect.fnUntraced(function* (settlement: Settlement, payment: Payment) {
        const { amountRaw, blockHash, createdAt, payerKey, settledAt, target, tipId } = settlement
        if (tipId === null || target.kind !== "tip")
          return yield* Effect.die(new Error("A settled tip is missing"))
        const { commentId, postId, recipientId: profileId } = target
        const paid: PaidTip = {
          tip: {
            id: tipId,
            amountRaw: amountRaw.toString(),
            target: { postId, commentId, profileId },
            createdAt: wireTime(settledAt ?? createdAt)
          },
          settlement: {
            success: true,
            transaction: blockHash,
            network: ledger.network,
            payer: addressOfPublicKey(payerKey),
            amount: amountRaw.toString(),
            charged: isBlockOf(payment, blockHash)
          }
        }
        return paid
      })

      /** Requests the payment of a tip, in place of a refused one if there is one. */
      const ask = Effect.fnUntraced(function* (
        { payerId, target: named }: TipRequest,
        target: TipTarget,
        amountRaw: bigint,
        refused?: PaymentRefused
      ) {
        yield* targets.check(target, payerId)
        return yield* demand({
          target,
          recipientId: target.recipientId,
          payoutAddress: null,
          amountRaw,
          method: "POST",
          url: `${baseUrl}${pathOf(named)}`,
          title: target.title,
          mimeType: "application/json",
          preview: target.postId === null ? null : `${baseUrl}/api/posts/${target.postId}`,
          refused,
          unpayable: () => new TippingUnavailable()
        })
      })

      return Tipping.of({
        tip: Effect.fn("Tipping.tip")(function* (request) {
          const { client, draft, payerId, payment, target: named } = request
          const amount = tipAmountOf(draft)
          if (Result.isFailure(amount)) return yield* new Validation({ errors: [amount.failure] })
          const amountRaw = amount.success
          const quoteHash = Option.flatMap(Option.fromUndefinedOr(payment), (it) => it.quoteHash)
          const target = yield* targets.locate(named, Option.getOrNull(quoteHash))
          if (payment === undefined) return yield* ask(request, target, amountRaw)
          const url = `${baseUrl}${pathOf(named)}`
          return yield* payTip({ target, amountRaw, payment, payerId, url, client }).pipe(
            Effect.flatMap((settlement) => paidTip(settlement, payment)),
            Effect.catchTags({
              LedgerUnavailable: () => Effect.fail(new LedgerAway()),
              PaymentRefused: (refused) => ask(request, target, amountRaw, refused)
            })
          )
        })
      })
    })
  )
}
