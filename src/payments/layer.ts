import { Layer } from "effect"
import { AccessHttp, PostFilesHttp } from "./access/http.ts"
import * as Access from "./access/layer.ts"
import * as DevelopmentRoutes from "./development/routes.ts"
import { FinanceHttp } from "./finance/http.ts"
import * as Finance from "./finance/layer.ts"
import { ObligationsRpc } from "./finance/rpc.ts"
import { GiftsHttp } from "./gifts/http.ts"
import * as Gifts from "./gifts/layer.ts"
import { PurchasesHttp } from "./purchases/http.ts"
import { Purchases } from "./purchases/Purchases.ts"
import { Quotes } from "./quotes/Quotes.ts"
import { Receipts } from "./receipts/Receipts.ts"
import { PaymentSessionsHttp } from "./sessions/http.ts"
import * as Sessions from "./sessions/layer.ts"
import { WatchingWorker } from "./sessions/WatchingWorker.ts"
import * as Settlement from "./settlement/layer.ts"
import { SettlementsRpc } from "./settlement/rpc.ts"
import { SettledPosts } from "./settlement/SettledPosts.ts"
import { SettlementWorker } from "./settlement/SettlementWorker.ts"
import { TippingHttp, TipsHttp } from "./tips/http.ts"
import * as Tips from "./tips/layer.ts"

/** The service that publishing asks about the payments of a Post. */
export const postFinance = SettledPosts

/** Payments: settlements and what they buy. */
export const layer = Layer.mergeAll(Access.layer, Finance.layer, Purchases.layer, Sessions.layer).pipe(
  Layer.provideMerge(Layer.merge(Gifts.layer, Tips.layer)),
  Layer.provideMerge(Settlement.layer),
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

/** Fibers that run beside the requests. */
export const workers = Layer.mergeAll(SettlementWorker, WatchingWorker)

export { sweepers } from "./sweepers.ts"
