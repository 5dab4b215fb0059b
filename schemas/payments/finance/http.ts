import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { NotFound, RevisionConflict } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { ObligationId, SettlementId } from "../../platform/Ids.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { LedgerAway } from "../x402/errors.ts"
import { NothingOwed, RefundBlockUsed, RefundMismatch } from "./errors.ts"
import { BindRequest, FinanceSummary, Obligation, Obligations } from "./Finance.ts"
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
    }).annotate(OpenApi.Summary, "Sum up what you received"),
    HttpApiEndpoint.get("sales", "/api/v1/finance/sales", {
      query: FinanceQuery.fields,
      success: Sales
    }).annotate(OpenApi.Summary, "List your sales"),
    HttpApiEndpoint.get("tips", "/api/v1/finance/tips", {
      query: FinanceQuery.fields,
      success: ReceivedTips
    }).annotate(OpenApi.Summary, "List the tips that you received"),
    HttpApiEndpoint.get("sale", "/api/v1/finance/sales/:saleId", {
      params: ofSale,
      success: SaleSnapshot,
      error: inJson(NotFound, "not_found")
    }).annotate(OpenApi.Summary, "Read a sale with the Post as it was sold"),
    HttpApiEndpoint.post("refund", "/api/v1/finance/sales/:saleId/refunds", {
      params: ofSale,
      payload: RefundRequest,
      success: Sale.pipe(HttpApiSchema.status(201)),
      error: [
        inJson(NotFound, "not_found"),
        inJson(RefundBlockUsed, "block_already_used"),
        inJson(RefundMismatch, "refund_mismatch"),
        inJson(LedgerAway, "ledger_unavailable")
      ]
    }).annotate(OpenApi.Summary, "Record a refund that you sent"),
    HttpApiEndpoint.get("obligations", "/api/v1/finance/obligations", { success: Obligations }).annotate(
      OpenApi.Summary,
      "List what the platform owes you"
    ),
    HttpApiEndpoint.post("claimObligation", "/api/v1/finance/obligations", {
      success: Obligation.pipe(HttpApiSchema.status(201)),
      error: inJson(NothingOwed, "nothing_owed")
    }).annotate(OpenApi.Summary, "Claim what the platform took in excess"),
    HttpApiEndpoint.post("bindObligation", "/api/v1/finance/obligations/:obligationId/bind", {
      params: ofObligation,
      payload: BindRequest,
      success: Obligation,
      error: [inJson(NotFound, "not_found"), inJson(RevisionConflict, "revision_conflict")]
    }).annotate(OpenApi.Summary, "Bind an obligation to your payout address")
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .add(
    HttpApiEndpoint.get("export", "/api/v1/finance/export.csv", { query: ExportQuery.fields, success: Csv })
      .annotate(OpenApi.Summary, "Export sales and tips as CSV")
      .annotateMerge(rateLimit("finance-export"))
  )
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Finance",
      description: "Sales, tips, refunds and obligations of an owner (spec 5.1)"
    })
  ) {}
