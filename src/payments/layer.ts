import { Effect, Layer } from "effect"
import { Access } from "./access/Access.ts"
import { Attachments } from "./access/Attachments.ts"
import { AccessHttp, PostFilesHttp } from "./access/http.ts"
import * as DevelopmentRoutes from "./development/routes.ts"
import { Finances } from "./finance/Finances.ts"
import { FinanceHttp } from "./finance/http.ts"
import { Obligations } from "./finance/Obligations.ts"
import { Refunds } from "./finance/Refunds.ts"
import { ObligationsRpc } from "./finance/rpc.ts"
import { Gifts } from "./gifts/Gifts.ts"
import { GiftsHttp } from "./gifts/http.ts"
import { Redemptions } from "./gifts/Redemptions.ts"
import { PurchasesHttp } from "./purchases/http.ts"
import { Purchases } from "./purchases/Purchases.ts"
import { Quotes } from "./quotes/Quotes.ts"
import { Receipts } from "./receipts/Receipts.ts"
import { PaymentSessionsHttp } from "./sessions/http.ts"
import { PaymentSessions } from "./sessions/PaymentSessions.ts"
import { Watching } from "./sessions/Watching.ts"
import { WatchingWorker } from "./sessions/WatchingWorker.ts"
import { Payees } from "./settlement/Payees.ts"
import { SettlementsRpc } from "./settlement/rpc.ts"
import { SettledPosts } from "./settlement/SettledPosts.ts"
import { Settlements } from "./settlement/Settlements.ts"
import { SettlementWorker } from "./settlement/SettlementWorker.ts"
import { UnresolvedSettlements } from "./settlement/UnresolvedSettlements.ts"
import { TippingHttp, TipsHttp } from "./tips/http.ts"
import { PublicTips } from "./tips/PublicTips.ts"
import { Tipping } from "./tips/Tipping.ts"
import { TipTargets } from "./tips/TipTargets.ts"

/** The service that publishing asks about the payments of a Post. */
export const postFinance = SettledPosts

const tips = Layer.merge(Tipping.layer, PublicTips.layer).pipe(Layer.provideMerge(TipTargets.layer))

const settlement = Layer.merge(
  UnresolvedSettlements.layer.pipe(Layer.provideMerge(Settlements.layer)),
  Payees.layer
)

/** Payments: settlements and what they buy. */
export const layer = Layer.mergeAll(
  Attachments.layer.pipe(Layer.provideMerge(Access.layer)),
  Layer.mergeAll(Finances.layer, Obligations.layer, Refunds.layer),
  PaymentSessions.layer.pipe(Layer.provideMerge(Watching.layer)),
  Purchases.layer
).pipe(
  Layer.provideMerge(Layer.mergeAll(Gifts.layer, Redemptions.layer, tips)),
  Layer.provideMerge(settlement),
  Layer.provideMerge(Layer.merge(Quotes.layer, Receipts.layer))
)

/** Handlers of the wing's operations. */
export const handlers = Layer.mergeAll(
  AccessHttp,
  FinanceHttp,
  GiftsHttp,
  PaymentSessionsHttp,
  PostFilesHttp,
  PurchasesHttp,
  TippingHttp,
  TipsHttp
)

/** Handlers of the wing's procedures. */
export const procedures = Layer.merge(ObligationsRpc, SettlementsRpc)

/** Routes outside the contract. */
export const routes = DevelopmentRoutes.layer

/** Fibers that run alongside requests. */
export const workers = Layer.mergeAll(SettlementWorker, WatchingWorker)

/** The services of the wing whose rows expire. */
export const sweepers = Effect.all([Settlements])
