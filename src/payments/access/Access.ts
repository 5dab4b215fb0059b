import { Context, Effect, Layer, Option, type Redacted, Result } from "effect"
import type { AccessVersion, PostAccess } from "../../../schemas/payments/access/Access.ts"
import {
  type AttachmentPending,
  type GiftExhausted,
  type GiftExpired,
  type GiftInvalid,
  GiftRevoked,
  PostWithdrawn,
  ReceiptInvalid
} from "../../../schemas/payments/access/errors.ts"
import {
  type InvalidPayload,
  type InvalidX402Version,
  LedgerAway,
  type PaymentIdentifierConflict,
  PaymentRefused,
  type PaymentRequired,
  type PaymentsDisabled,
  type SettlementPending
} from "../../../schemas/payments/x402/errors.ts"
import { NotFound, type RateLimited } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId, PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"
import { Redemptions } from "../gifts/Redemptions.ts"
import { receiptOfGift, type ShownGift } from "../gifts/shownGift.ts"
import { makePayFor } from "../paying/payFor.ts"
import { receiptTokenOf } from "../receipts/receiptToken.ts"
import { isBlockOf } from "../x402/checkBlock.ts"
import type { Payment, ShownPayment } from "../x402/readPayment.ts"
import { accessStatements, type Shown } from "./access.sql.ts"
import type { AccessRow } from "./accessRow.ts"
import { isEntitled, postAccessOf, type Proof } from "./postAccess.ts"
import { checkFile, makePostSale } from "./postSale.ts"

/** A request to read a Post, with everything that its caller presents. */
export interface AccessRequest {
  readonly postId: PostId
  readonly ownerId: OwnerId | null
  /** The version to read. Undefined: the one that is paid for in an answer to a payment, or else the current one. */
  readonly version: AccessVersion | undefined
  readonly receipt: Redacted.Redacted | undefined
  readonly gift: ShownGift | undefined
  readonly payment: ShownPayment | undefined
  /** The file for which the Post is read. */
  readonly fileId?: UploadOperationId | undefined
  /** The address by which payments and wrong gift tokens are limited. */
  readonly client: string
}

/** Reasons why a Post is not read. Only a request for a file fails with `AttachmentPending`. Only `SettlementPending` is about a payment that may have been sent. */
export type AccessRefusal =
  | AttachmentPending
  | NotFound
  | ReceiptInvalid
  | GiftInvalid
  | GiftExpired
  | GiftRevoked
  | GiftExhausted
  | PostWithdrawn
  | InvalidPayload
  | InvalidX402Version
  | PaymentIdentifierConflict
  | PaymentRequired
  | SettlementPending
  | LedgerAway
  | PaymentsDisabled
  | RateLimited

/** The stack of each call would cost more than it is worth. */
const UNTRACED = { captureStackTrace: false }

const readable = (payment: ShownPayment | undefined): Payment | undefined =>
  payment !== undefined && Result.isSuccess(payment) ? payment.success : undefined

/** Returns the receipt of a gift that the request repeats, if it does. An account needs none. */
const repeatedGift = ({ gift, ownerId, receipt }: AccessRequest) =>
  gift === undefined || ownerId !== null || receipt !== undefined ? Option.none() : receiptOfGift(gift)

const receiptHashOf = (request: AccessRequest) =>
  request.receipt === undefined
    ? Option.getOrNull(Option.map(repeatedGift(request), ({ tokenHash }) => tokenHash))
    : hashOf(request.receipt)

const shownBy = (request: AccessRequest): Shown => ({
  ownerId: request.ownerId,
  version: request.version,
  receiptHash: receiptHashOf(request),
  quoteHash: Option.getOrNull(
    Option.flatMap(Option.fromUndefinedOr(readable(request.payment)), (it) => it.quoteHash)
  ),
  settlementId: null,
  fileId: request.fileId ?? null
})

/** Adds the payment by which a payer reads, and the receipt for the quote that they presented. */
const proofOf = ({ paid, purchase }: AccessRow, payment: Payment | undefined): Proof | undefined => {
  if (payment === undefined) return undefined
  const receipt = paid === null || paid.purchase_id === null ? Option.none() : payment.quote
  return {
    paid: paid ?? purchase,
    charged: paid !== null && isBlockOf(payment, paid.block_hash),
    receipt: Option.map(receipt, receiptTokenOf)
  }
}

/** Reads whole Posts, and sells them. */
export class Access extends Context.Service<
  Access,
  {
    /**
     * Returns the text to a caller who may read it. The first reason that applies counts: the Post is free or their
     * own, the account has bought it, a receipt, a gift, a payment. A caller who may read without a payment is not
     * charged.
     *
     * A caller who reads a Post for one of its files buys the Post, too. No payment is requested or taken for a file that
     * is not there. The answer also has a file that is off its Post, if the caller got the Post with it.
     */
    readonly read: (request: AccessRequest) => Effect.Effect<PostAccess, AccessRefusal>
  }
>()("pennypress/payments/access/Access") {
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const repo = yield* accessStatements
      const baseUrl = yield* PublicBaseUrl
      const { kind, network } = yield* NanoLedger
      const gifts = yield* Redemptions
      const { checkIdentifier, payFor } = yield* makePayFor
      const { ask, saleOf } = yield* makePostSale
      const place = { baseUrl, network }

      const find = Effect.fnUntraced(function* (postId: PostId, shown: Shown) {
        const row = yield* repo.read(postId, shown)
        return Option.isSome(row) ? row.value : yield* new NotFound()
      })

      const redeem = Effect.fnUntraced(function* (post: AccessRow, gift: ShownGift, request: AccessRequest) {
        const shown = shownBy(request)
        const receipt = yield* gifts.redeemShown(post.id, gift, request).pipe(
          Effect.catchTags({
            FileNotForSale: () =>
              find(post.id, shown).pipe(
                Effect.flatMap((row) => checkFile(row, request.fileId)),
                Effect.andThen(Effect.fail(new NotFound()))
              ),
            // It became free at this moment, so it is read as a free Post.
            PostIsFree: () => Effect.succeedNone,
            GiftInvalid: (refusal) => Effect.fail(post.is_public ? refusal : new NotFound())
          })
        )
        const hash = Option.map(receipt, ({ tokenHash }) => tokenHash)
        const row = yield* find(post.id, { ...shown, receiptHash: Option.getOrNull(hash) })
        if (!isEntitled(row)) return yield* row.is_public ? new GiftRevoked() : new PostWithdrawn()
        return postAccessOf(row, place, undefined, receipt)
      })

      const sell = Effect.fnUntraced(function* (
        post: AccessRow,
        payment: Payment,
        { client, fileId, ownerId: buyerId }: AccessRequest,
        shown: Shown
      ) {
        const outcome = yield* payFor({ sale: saleOf(post, fileId), payment, buyerId, client }).pipe(
          Effect.catchTags({
            LedgerUnavailable: () => Effect.fail(new LedgerAway()),
            PaymentRefused: (refusal) => Effect.succeed(refusal)
          })
        )
        const refused = outcome instanceof PaymentRefused ? outcome : undefined
        const paid = outcome instanceof PaymentRefused ? undefined : outcome
        // Reads again: the terms may have changed, and only the statement that finds the payment settled has the text.
        const now = yield* find(post.id, { ...shown, settlementId: paid?.id ?? null })
        return isEntitled(now)
          ? postAccessOf(now, place, proofOf(now, payment))
          : yield* ask(now, fileId, refused)
      })

      const read = Effect.fnUntraced(
        function* (request: AccessRequest) {
          const { fileId, gift, payment: shownPayment, postId, receipt } = request
          const shown = shownBy(request)
          const post = yield* find(postId, shown)
          const payment = readable(shownPayment)
          if (isEntitled(post)) {
            if (post.via === "payment" && payment !== undefined)
              yield* checkIdentifier({ kind: "purchase", postId: post.id }, payment)
            const given = post.via === "gift" ? repeatedGift(request) : Option.none()
            return postAccessOf(post, place, proofOf(post, payment), given)
          }
          // A caller with a receipt or a gift is never asked to pay, because an agent would pay.
          if (receipt !== undefined) return yield* post.is_public ? new ReceiptInvalid() : new NotFound()
          if (gift !== undefined) return yield* redeem(post, gift, request)
          if (payment !== undefined && (kind !== "off" || post.pending_of_quote !== null))
            return yield* sell(post, payment, request, shown)
          if (post.is_public && shownPayment !== undefined && Result.isFailure(shownPayment))
            return yield* shownPayment.failure
          return yield* ask(post, fileId)
        },
        Effect.withSpan("Access.read", undefined, UNTRACED)
      )

      return Access.of({ read })
    })
  )
}
