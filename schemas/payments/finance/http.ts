import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound, RevisionConflict } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { ObligationId, SettlementId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { LedgerAway } from "../x402/errors.ts"
import { BlockUnconfirmed, NothingOwed, RefundBlockUsed, RefundMismatch } from "./errors.ts"
import {
  BindRequest,
  EarningsByDay,
  EarningsByDayQuery,
  EarningsByPost,
  EarningsByPostQuery,
  FinanceSummary,
  Obligation,
  Obligations
} from "./Finance.ts"
import { Period } from "./period.ts"
import { ExportQuery, FinanceQuery, ReceivedTips, RefundRequest, Sale, Sales, SaleSnapshot } from "./Sale.ts"

const ofSale = { saleId: SettlementId }
const ofObligation = { obligationId: ObligationId }

const Csv = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

/** The private finances of an owner: a Publishing key cannot read them (spec 5.1). */
export class FinanceApi extends HttpApiGroup.make("finance")
  .add(
    HttpApiEndpoint.get("summary", "/api/v1/finance/summary", {
      query: Period.fields,
      success: FinanceSummary
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sum up what you received",
        description:
          "Sums up sales, tips, second payments, refunds and fees of a period of UTC days, or of all time. `to` is the day after the last one. The amount that the platform owes and the payout address are the current ones."
      })
    ),
    HttpApiEndpoint.get("earningsByDay", "/api/v1/finance/days", {
      query: EarningsByDayQuery.fields,
      success: EarningsByDay
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sum up sales and tips by day",
        description:
          "Sums up sales and tips by UTC day, newest first. A day without a payment is not in the list. Second payments for a Post do not count, as in the summary."
      })
    ),
    HttpApiEndpoint.get("earningsByPost", "/api/v1/finance/posts", {
      query: EarningsByPostQuery.fields,
      success: EarningsByPost
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sum up sales and tips by Post",
        description:
          "Sums up sales and tips of a period by Post; the Post with the largest sum comes first. Tips to Comments and to the Profile are one item without a Post. Second payments for a Post do not count, as in the summary."
      })
    ),
    HttpApiEndpoint.get("sales", "/api/v1/finance/sales", {
      query: FinanceQuery.fields,
      success: Sales
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List your sales",
        description:
          "Lists payments for the owner's Posts, newest first. A duplicate is a payment by a buyer who already had the Post."
      })
    ),
    HttpApiEndpoint.get("tips", "/api/v1/finance/tips", {
      query: FinanceQuery.fields,
      success: ReceivedTips
    }).annotateMerge(
      OpenApi.annotations({
        summary: "List the tips that you received",
        description: "Lists tips to the owner's Posts, Comments and Profile, newest first."
      })
    ),
    HttpApiEndpoint.get("sale", "/api/v1/finance/sales/:saleId", {
      params: ofSale,
      success: SaleSnapshot,
      error: inJson(NotFound, "not_found")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Read a sale with the Post as it was sold",
        description:
          "Returns a sale with the Post as it was sold, even if the Post has changed since. Takes the id of the sale or of its purchase."
      })
    ),
    HttpApiEndpoint.post("refund", "/api/v1/finance/sales/:saleId/refunds", {
      params: ofSale,
      payload: RefundRequest,
      success: Sale.pipe(HttpApiSchema.status(201)),
      error: [
        inJson(NotFound, "not_found"),
        inJson(RefundBlockUsed, "block_already_used"),
        inJson(BlockUnconfirmed, "block_unconfirmed"),
        inJson(RefundMismatch, "refund_mismatch"),
        inJson(LedgerAway, "ledger_unavailable")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Record a refund that you sent",
        description:
          "Records a refund that the author sent: a confirmed block to the payer, of at most the remaining amount of the sale. While the block is not confirmed, the answer is a 409 `block_unconfirmed` with `Retry-After`. The service cannot send refunds, and the buyer keeps access."
      })
    ),
    HttpApiEndpoint.get("obligations", "/api/v1/finance/obligations", { success: Obligations }).annotateMerge(
      OpenApi.annotations({
        summary: "List what the platform owes you",
        description: "Lists what the platform owes or has paid to the owner, newest first."
      })
    ),
    HttpApiEndpoint.post("claimObligation", "/api/v1/finance/obligations", {
      success: Obligation.pipe(HttpApiSchema.status(201)),
      error: inJson(NothingOwed, "nothing_owed")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Claim what the platform took in excess",
        description:
          "Turns a negative fee account into an obligation of the platform. Without a payout address, the obligation is blocked."
      })
    ),
    HttpApiEndpoint.post("bindObligation", "/api/v1/finance/obligations/:obligationId/bind", {
      params: ofObligation,
      payload: BindRequest,
      success: Obligation,
      error: [inJson(NotFound, "not_found"), inJson(RevisionConflict, "revision_conflict")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Bind an obligation to your payout address",
        description:
          "Binds an unpaid obligation to the payout address of this revision, which must be the current one. Saving a new address never does this by itself."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .add(
    HttpApiEndpoint.get("export", "/api/v1/finance/export.csv", { query: ExportQuery.fields, success: Csv })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Export sales and tips as CSV",
          description:
            "Returns the payments of a period as CSV, newest first. A quote mark precedes cells that spreadsheet programs would run as formulas."
        })
      )
      .annotateMerge(rateLimit("exports"))
  )
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Finance",
      description: "Sales, tips, refunds and obligations of an owner"
    })
  ) {}
