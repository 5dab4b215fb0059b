import { Layer } from "effect"
import { PaymentSessions } from "./PaymentSessions.ts"
import { PaymentSessionsRepo } from "./PaymentSessionsRepo.ts"
import { PurchaseTargetsRepo } from "./PurchaseTargetsRepo.ts"
import { WatchedAccountsRepo } from "./WatchedAccountsRepo.ts"
import { Watching } from "./Watching.ts"

/** Payment sessions, and the watch over the addresses that they pay. */
export const layer = PaymentSessions.layer.pipe(
  Layer.provideMerge(Watching.layer),
  Layer.provide([PaymentSessionsRepo.layer, PurchaseTargetsRepo.layer, WatchedAccountsRepo.layer])
)
