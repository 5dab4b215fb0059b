import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { CommentId, OwnerId, PaymentSessionId, PostId, PurchaseId } from "../../platform/Ids.ts"
import {
  NanoAddress,
  NanoAddressInput,
  PRICE_MAX_RAW,
  PRICE_MIN_RAW,
  PRICE_STEP_RAW,
  RawDigits
} from "../../platform/Nano.ts"
import { queryInteger } from "../../platform/queryInteger.ts"
import { atMost, Text } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { VersionSha256 } from "../x402/Offer.ts"

/** The longest wait for a change of a payment session, in seconds. */
export const SESSION_WAIT_SECONDS_MAX = 20

/** A handle has at most 30 characters; longer texts name no Profile. */
const Handle = Text.check(atMost(100))

const AmountText = Schema.String.check(atMost(80))

/** An amount of a tip as callers name it: in raw, in XNO, or in both when they are the same. */
export const tipAmount = {
  amountRaw: Schema.optionalKey(
    AmountText.annotate({
      description: `The tip in raw as digits: ${PRICE_MIN_RAW} (0.00001 XNO) to ${PRICE_MAX_RAW} (9999 XNO), a multiple of ${PRICE_STEP_RAW}. With amountXno, both are the same amount.`
    })
  ),
  amountXno: Schema.optionalKey(
    AmountText.annotate({
      description:
        "The tip in XNO as a decimal: 0.00001 to 9999, with at most 6 decimals. With amountRaw, both are the same amount."
    })
  )
}

/** Requests a session that buys a Post at its current price. */
const PurchaseSessionDraft = Schema.Struct({ kind: Schema.Literal("purchase"), postId: PostId })

/** Requests a session that tips the author of one Post or Comment, or the owner of one Profile. */
const TipSessionDraft = Schema.Struct({
  kind: Schema.Literal("tip"),
  ...tipAmount,
  postId: Schema.optionalKey(PostId),
  commentId: Schema.optionalKey(CommentId),
  handle: Schema.optionalKey(Handle)
})
export type TipSessionDraft = typeof TipSessionDraft.Type

export const PaymentSessionDraft = Schema.Union([PurchaseSessionDraft, TipSessionDraft]).annotate({
  identifier: "PaymentSessionDraft"
})
export type PaymentSessionDraft = typeof PaymentSessionDraft.Type

/** The key of a creation: a UUID, so that others cannot guess that of an anonymous payer. The nil UUID has no version. */
export const SessionIdempotencyKey = Schema.String.check(
  Schema.isPattern(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u, {
    expected: "a new random UUID such as 5f0c7a52-6f3c-4b0e-9d52-3f6a8b0c1d2e"
  })
)

/**
 * - `open`: waits for the payment.
 * - `seen`: a matching block is on the ledger, and the network has not confirmed it yet.
 * - `paid`: the payment is confirmed and settled.
 * - `expired`, `cancelled`: the exact amount still counts, as late, until `lateUntil`.
 * - `closed`: money that comes now is not matched.
 */
export const PaymentSessionState = Schema.Literals(["open", "seen", "paid", "expired", "cancelled", "closed"])
export type PaymentSessionState = typeof PaymentSessionState.Type

const BlockHashText = Schema.String.check(Schema.isPattern(/^[0-9A-F]{64}$/u)).annotate({
  description: "The hash of a block, as 64 upper-case hexadecimal digits."
})

/** The mark by which a payment was recognised as that of its session. */
export const MatchedBy = Schema.Literals(["exact", "base"]).annotate({
  identifier: "MatchedBy",
  description:
    "`exact`: by the amount that only this session has. `base`: the amount came without its last digits, while the payer waited and said that it was sent."
})

const session = {
  sessionId: PaymentSessionId,
  kind: Schema.Literals(["purchase", "tip"]),
  state: PaymentSessionState,
  /** A tip to a Comment names its Post, too. `profileId` is the owner who is paid. */
  target: Schema.Struct({
    postId: Schema.NullOr(PostId),
    commentId: Schema.NullOr(CommentId),
    profileId: OwnerId
  }),
  /** The CAIP-2 name of the ledger, such as `nano:mainnet`. */
  network: Schema.String,
  payTo: NanoAddress,
  baseAmountRaw: RawDigits,
  /** The amount to pay: the base and a tag that no other live session with this address has. */
  amountRaw: RawDigits,
  amountXno: Schema.String,
  /** The version of the Post that the payment buys, even if the Post has changed since; null for a tip. */
  versionSha256: Schema.NullOr(VersionSha256),
  uri: Schema.String.annotate({
    description: "The payment as wallets read it: nano:<address>?amount=<raw>."
  }),
  qr: Schema.String.annotate({ description: "The path of the URI as a QR code in SVG." }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  lateUntil: Timestamp,
  /** Seconds between two looks at the ledger; 0 when no more change is expected. */
  retryAfterSeconds: Schema.Int,
  /** The hash of the block that paid; null until then. */
  transaction: Schema.NullOr(BlockHashText),
  amountReceivedRaw: Schema.NullOr(RawDigits),
  /** True when the payment came after the session expired or was cancelled. */
  late: Schema.Boolean,
  matchedBy: Schema.NullOr(MatchedBy),
  /** Number of further payments of the same amount, which bought nothing: the recipient may refund them. */
  duplicates: Schema.Array(BlockHashText),
  /** The receipt that reads the Post without an account. Only the holder of the session's token gets it. */
  receipt: Schema.NullOr(
    Schema.Struct({ token: Schema.String, purchaseId: PurchaseId, expiresAt: Schema.Null })
  ),
  /** The path of the bought Post's text; null until the purchase is paid. */
  accessUrl: Schema.NullOr(Schema.String)
}

/** A checkout that any wallet can pay: an amount that no other live session has. */
export const PaymentSession = Schema.Struct(session).annotate({ identifier: "PaymentSession" })
export type PaymentSession = typeof PaymentSession.Type

const created = { ...session, token: Schema.String }

/** A session of this request, with the token that reads and cancels it. */
export const NewPaymentSession = Schema.Struct({ ...created, replayed: Schema.Literal(false) })
  .annotate({ identifier: "NewPaymentSession" })
  .pipe(HttpApiSchema.status(201))

/** The session of an earlier request with the same key. */
export const ReplayedPaymentSession = Schema.Struct({ ...created, replayed: Schema.Literal(true) }).annotate({
  identifier: "ReplayedPaymentSession"
})

/** The payer's word that the payment of a session was sent. */
export const SentPayment = Schema.Struct({
  payer: Schema.optionalKey(
    NanoAddressInput.annotate({
      description: "The address that sent the payment, if you know it: then only its payments count."
    })
  )
}).annotate({ identifier: "SentPayment" })

export const SessionWaitQuery = Schema.Struct({
  wait: Schema.optionalKey(queryInteger({ minimum: 0, maximum: SESSION_WAIT_SECONDS_MAX, default: 0 }))
})
