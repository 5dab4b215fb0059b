import { DateTime, Effect } from "effect"
import { PART_BYTES } from "../../../../schemas/mcp/arguments.ts"
import {
  PurchaseToolkit,
  type PurchaseStatusArguments,
  type PurchaseStatusResult,
  type SaleArguments,
  type SaleResult,
  SALES_DEFAULT,
  type SoldPost
} from "../../../../schemas/mcp/local/purchaseTools.ts"
import { FinanceQuery, type Sale } from "../../../../schemas/payments/finance/Sale.ts"
import { PURCHASES_MAX } from "../../../../schemas/payments/purchases/Purchase.ts"
import { SettlementId } from "../../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import { partOf } from "../../tools/untrusted.ts"
import { checked } from "../failures/checkedArguments.ts"
import { marked } from "../failures/marked.ts"
import { Intents } from "../intents/Intents.ts"
import { StateStore } from "../ports/StateStore.ts"
import { makeBuyPost } from "../purchases/buyPost.ts"
import { makeDownloads } from "../purchases/downloads.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { newestPurchase, readPurchase, type SavedPurchase } from "../state/purchases.sql.ts"

/** Maximum number of pages of purchases in which a Post is looked for. */
const PAGES_MAX = 10

/** The word for each state of a purchase that only this directory knows of. */
const LOCAL_STATUS = {
  authorized: "authorized",
  settling: "settling",
  settled: "settled",
  owned: "none",
  refused: "refused"
} as const satisfies Record<SavedPurchase["status"], PurchaseStatusResult["status"]>

const xnoOf = (digits: string | null) => (digits === null ? null : xnoOfRaw(BigInt(digits)))

const noPurchase: PurchaseStatusResult = {
  status: "none",
  amountRaw: null,
  amountXno: null,
  refundedRaw: null,
  refundedXno: null,
  transaction: null,
  purchasedAt: null
}

const localStatus = (saved: SavedPurchase): PurchaseStatusResult => ({
  status: LOCAL_STATUS[saved.status],
  amountRaw: saved.amountRaw.toString(),
  amountXno: xnoOfRaw(saved.amountRaw),
  refundedRaw: null,
  refundedXno: null,
  transaction: saved.status === "refused" ? null : saved.transaction,
  purchasedAt:
    saved.settledAt === null || saved.status === "refused"
      ? null
      : DateTime.formatIso(DateTime.makeUnsafe(saved.settledAt))
})

const soldPostOf = (sale: Sale): SoldPost => {
  const authorRaw = sale.allocations
    .filter(({ role }) => role === "author")
    .reduce((sum, { amountRaw }) => sum + BigInt(amountRaw), 0n)
  return {
    id: sale.id,
    postId: sale.postId,
    amountRaw: sale.amountReceivedRaw,
    amountXno: xnoOfRaw(BigInt(sale.amountReceivedRaw)),
    authorRaw: authorRaw.toString(),
    authorXno: xnoOfRaw(authorRaw),
    transaction: sale.transaction,
    soldAt: sale.confirmedAt,
    refundedRaw: sale.refundedRaw,
    refundedXno: xnoOfRaw(BigInt(sale.refundedRaw))
  }
}

const noSale: SaleResult = { sales: null, pagination: null, sale: null, snapshot: null, content: null }

/** The handlers of the toolset `purchases`. */
export const makePurchaseHandlers = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const intents = yield* Intents
  const { client } = yield* ServiceApi
  const buyPost = yield* makeBuyPost
  const { download, extract } = yield* makeDownloads

  /** Finds the purchase of a Post among those of the account. */
  const listed = Effect.fnUntraced(function* (postId: string) {
    let cursor = ""
    for (let page = 0; page < PAGES_MAX; page++) {
      const { data, pagination } = yield* sessions.asOwner(
        client.purchases.list({ query: { cursor, limit: PURCHASES_MAX } })
      )
      const found = data.find((purchase) => purchase.postId === postId && !purchase.duplicate)
      if (found !== undefined) return found
      if (pagination.nextCursor === null) return undefined
      cursor = pagination.nextCursor
    }
    return undefined
  })

  const status = Effect.fnUntraced(function* ({
    operation_id: operationId,
    post_id: postId
  }: PurchaseStatusArguments) {
    if ((postId === undefined) === (operationId === undefined)) {
      return yield* marked("validation", {
        fields: [{ field: "post_id", code: "required", message: "Name either the Post or the operation" }]
      })
    }
    const identity = yield* store.read((tx) => Effect.succeed(readIdentity(tx)))
    if (identity === undefined) return yield* marked("identity-not-selected")
    const saved = yield* store.read((tx) =>
      Effect.succeed(
        operationId === undefined
          ? newestPurchase(tx, identity.ownerId, (postId ?? "").toLowerCase())
          : readPurchase(tx, operationId.toLowerCase())
      )
    )
    if (operationId !== undefined && saved?.ownerId !== identity.ownerId) return yield* marked("not-found")
    const wanted = postId?.toLowerCase() ?? saved?.postId ?? ""
    const found = yield* listed(wanted)
    if (found !== undefined) {
      return {
        status: found.state,
        amountRaw: found.amountRaw,
        amountXno: xnoOf(found.amountRaw),
        refundedRaw: found.refundedRaw,
        refundedXno: xnoOf(found.refundedRaw),
        transaction: found.transaction,
        purchasedAt: found.purchasedAt
      } satisfies PurchaseStatusResult
    }
    return saved === undefined ? noPurchase : localStatus(saved)
  })

  const sales = Effect.fnUntraced(function* (wanted: SaleArguments) {
    const query = yield* checked(FinanceQuery)({
      cursor: wanted.cursor ?? "",
      limit: wanted.limit ?? SALES_DEFAULT,
      ...(wanted.post_id === undefined ? {} : { postId: wanted.post_id.toLowerCase() }),
      ...(wanted.from === undefined ? {} : { from: wanted.from }),
      ...(wanted.to === undefined ? {} : { to: wanted.to })
    } as FinanceQuery)
    const { data, pagination } = yield* sessions.asOwner(client.finance.sales({ query }))
    return { ...noSale, sales: data.map(soldPostOf), pagination } satisfies SaleResult
  })

  const snapshotOf = Effect.fnUntraced(function* (saleId: string, wanted: SaleArguments) {
    const { max_bytes: bytesMax = PART_BYTES.default, offset = 0, section = "paid" } = wanted
    const params = { saleId: SettlementId.make(saleId.toLowerCase()) }
    const sold = yield* sessions.asOwner(client.finance.sale({ params }))
    const { snapshot } = sold
    if (snapshot === null) return { ...noSale, sale: soldPostOf(sold) } satisfies SaleResult
    const text = section === "free" ? snapshot.freeContentMarkdown : snapshot.paidContentMarkdown
    const { nextOffset, text: markdown } = partOf(text ?? "", offset, bytesMax)
    return {
      ...noSale,
      sale: soldPostOf(sold),
      snapshot: {
        title: snapshot.title,
        contentSha256: snapshot.contentSha256,
        attachments: snapshot.attachments
      },
      content: { section, markdown, nextOffset }
    } satisfies SaleResult
  })

  return PurchaseToolkit.of({
    svc_buy_post: ({ intent_id: intentId, ...args }) => intents.run(buyPost, args, intentId),
    svc_purchase_status: status,
    svc_download_attachment: download,
    svc_extract_attachment: extract,
    svc_sale_snapshot: (wanted) =>
      wanted.sale_id === undefined ? sales(wanted) : snapshotOf(wanted.sale_id, wanted)
  })
})
