import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { ReceiptInvalid } from "../../../schemas/payments/access/errors.ts"
import type { BlockUnconfirmed } from "../../../schemas/payments/finance/errors.ts"
import {
  AlreadyOwned,
  type BlockAlreadyUsed,
  type ClaimMismatch
} from "../../../schemas/payments/purchases/errors.ts"
import {
  type Purchase,
  type PurchaseClaim,
  type PurchasePage,
  PURCHASES_DEFAULT,
  type PurchasesQuery
} from "../../../schemas/payments/purchases/Purchase.ts"
import type { LedgerAway, PaymentsDisabled } from "../../../schemas/payments/x402/errors.ts"
import { type Forbidden, NotFound, type Validation } from "../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { type OwnerId, type PostId, PurchaseId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { makePageAfter } from "../../platform/cursors/pageAfter.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { hashOf } from "../../platform/secrets/Secrets.ts"
import { searchQueryOf } from "../../publishing/discovery/searchQuery.ts"
import { Settlements } from "../settlement/Settlements.ts"
import { makeClaimBlock } from "./claimBlock.ts"
import { purchaseOf, type PurchaseRow } from "./purchaseRow.ts"
import { purchaseStatements } from "./purchases.sql.ts"

/** A purchase that a claim gave to an account. `isNew` is true when the claim recorded it. */
export interface Claimed {
  readonly purchase: Purchase
  readonly isNew: boolean
}

type ClaimRefusal =
  | ReceiptInvalid
  | Forbidden
  | NotFound
  | AlreadyOwned
  | BlockAlreadyUsed
  | ClaimMismatch
  | BlockUnconfirmed
  | LedgerAway
  | PaymentsDisabled

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([PurchaseId]))

/** Purchases of accounts, and of buyers without one. */
export class Purchases extends Context.Service<
  Purchases,
  {
    /** Lists the purchases of an account, newest first, or those with some words. Fails for a cursor of another list. */
    readonly list: (owner: OwnerId, query: PurchasesQuery) => Effect.Effect<PurchasePage, Validation>
    readonly read: (owner: OwnerId, id: PurchaseId) => Effect.Effect<Purchase, NotFound>
    readonly byReceipt: (
      id: PurchaseId,
      receipt: Redacted.Redacted
    ) => Effect.Effect<Purchase, ReceiptInvalid>
    /** Adds an anonymous purchase to the account, or records a payment that was sent outside the flow. */
    readonly claim: (owner: OwnerAuthority, claim: PurchaseClaim) => Effect.Effect<Claimed, ClaimRefusal>
    /** Returns the owners among these who have bought the Post. */
    readonly buyersAmong: (
      post: PostId,
      owners: ReadonlyArray<OwnerId>
    ) => Effect.Effect<ReadonlySet<OwnerId>>
  }
>()("pennypress/payments/purchases/Purchases") {
  static readonly layer = Layer.effect(
    Purchases,
    Effect.gen(function* () {
      const repo = yield* purchaseStatements
      const cursors = yield* Cursors
      const pageAfter = yield* makePageAfter(decodePosition)
      const settlements = yield* Settlements
      const claimBlock = yield* makeClaimBlock
      const { network } = yield* NanoLedger
      const place = { baseUrl: yield* PublicBaseUrl, media: yield* OwnMedia, network }

      const found = (row: Option.Option<PurchaseRow>) =>
        Effect.mapError(Effect.fromOption(row), () => new NotFound())

      const claimReceipt = Effect.fnUntraced(function* ({ ownerId }: OwnerAuthority, receiptToken: string) {
        const row = yield* repo.ofReceipt(hashOf(Redacted.make(receiptToken)))
        if (Option.isNone(row)) return yield* new ReceiptInvalid()
        const { buyer_id, id } = row.value
        if (buyer_id !== ownerId && !(yield* settlements.adopt(id, ownerId))) return yield* new AlreadyOwned()
        return { purchase: purchaseOf(row.value, place), isNew: false }
      })

      return Purchases.of({
        list: Effect.fn("Purchases.list")(function* (owner, { cursor, limit = PURCHASES_DEFAULT, q }) {
          const list = q === undefined ? `purchases ${owner}` : `purchases ${owner} ${q}`
          const after = yield* pageAfter(list, cursor)
          const slice = { after, limit }
          const rows = yield* q === undefined
            ? repo.slice(owner, slice)
            : repo.found(owner, searchQueryOf(q) ?? "", slice)
          const last = rows.length > limit ? rows[limit - 1] : undefined
          const nextCursor = last === undefined ? null : yield* cursors.make(list, [last.id])
          return {
            data: rows.slice(0, limit).map((row) => purchaseOf(row, place)),
            pagination: { limit, nextCursor, hasMore: nextCursor !== null }
          }
        }),

        read: Effect.fn("Purchases.read")(function* (owner, id) {
          return purchaseOf(yield* found(yield* repo.ofOwner(owner, id)), place)
        }),

        byReceipt: Effect.fn("Purchases.byReceipt")(function* (id, receipt) {
          const row = yield* repo.ofReceipt(hashOf(receipt))
          if (Option.isNone(row) || row.value.id !== id) return yield* new ReceiptInvalid()
          return purchaseOf(row.value, place)
        }),

        claim: Effect.fn("Purchases.claim")(function* (owner, claim) {
          if ("receiptToken" in claim) return yield* claimReceipt(owner, claim.receiptToken)
          const id = yield* claimBlock(owner, claim.postId, claim.blockHash)
          const row = yield* found(yield* repo.ofOwner(owner.ownerId, id))
          return { purchase: purchaseOf(row, place), isNew: true }
        }),

        buyersAmong: Effect.fn("Purchases.buyersAmong")(function* (post, owners) {
          if (owners.length === 0) return new Set()
          return new Set((yield* repo.buyersAmong(post, owners)).map(({ id }) => id))
        })
      })
    })
  )
}
