import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Forbidden, NotFound } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { PurchaseId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OptionalOwner, OwnerSession } from "../../platform/security/middleware.ts"
import { ReceiptInvalid } from "../access/errors.ts"
import { BlockUnconfirmed } from "../finance/errors.ts"
import { LedgerAway, PaymentsDisabled } from "../x402/errors.ts"
import { AlreadyOwned, BlockAlreadyUsed, ClaimMismatch } from "./errors.ts"
import { ClaimedPurchase, Purchase, PurchaseClaim, PurchasePage, PurchasesQuery } from "./Purchase.ts"

const purchaseId = { purchaseId: PurchaseId }

/** Purchases of an account. */
export class PurchasesApi extends HttpApiGroup.make("purchases")
  .add(
    HttpApiEndpoint.get("list", "/api/v1/purchases", {
      query: PurchasesQuery.fields,
      success: PurchasePage
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the purchases of the account",
        description:
          "Lists the Posts that the account bought and those that its login wallet paid for, newest first. With `q`, only those whose title or author has these words."
      })
    ),
    HttpApiEndpoint.get("read", "/api/v1/purchases/:purchaseId", {
      params: purchaseId,
      success: Purchase,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a purchase of the account",
        description: "Returns a purchase of the account."
      })
    ),
    HttpApiEndpoint.post("claim", "/api/v1/purchases/claims", {
      payload: PurchaseClaim,
      success: [Purchase, ClaimedPurchase],
      error: [
        inJson(Forbidden, "forbidden"),
        inJson(ReceiptInvalid, "receipt_invalid"),
        inJson(NotFound, "not_found"),
        inJson(AlreadyOwned, "already_owned"),
        inJson(BlockAlreadyUsed, "block_already_used"),
        inJson(BlockUnconfirmed, "block_unconfirmed"),
        inJson(ClaimMismatch, "claim_mismatch"),
        inJson(LedgerAway, "ledger_unavailable"),
        inJson(PaymentsDisabled, "payments_disabled")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Claim a purchase for the account",
        description:
          "Adds a purchase that was made without an account to this account, by its receipt. It can also record a payment that was sent outside the flow: a confirmed block of the last 30 days, from the login wallet to the author. While the block is not confirmed, the answer is a 409 `block_unconfirmed` with `Retry-After`. A repeat with the same receipt returns the same purchase."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(OpenApi.annotations({ title: "Purchases", description: "Posts that an account bought" })) {}

/** A purchase as its buyer without an account sees it. */
export class PurchaseByReceiptApi extends HttpApiGroup.make("purchaseByReceipt")
  .add(
    HttpApiEndpoint.get("read", "/api/purchases/:purchaseId", {
      params: purchaseId,
      headers: {
        "x-purchase-receipt": Schema.String.annotate({ description: "The receipt of the purchase, `ppr_…`" })
      },
      success: Purchase,
      error: [inJson(ReceiptInvalid, "receipt_invalid")]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read a purchase by its receipt",
          description: "Returns a purchase to the holder of its receipt."
        })
      )
      .annotateMerge(rateLimit("access"))
  )
  .middleware(JsonRateLimits)
  .middleware(OptionalOwner)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Purchases by receipt",
      description: "Purchases of buyers without an account"
    })
  ) {}
