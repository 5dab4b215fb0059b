import { Layer } from "effect"
import { FinanceRepo } from "./FinanceRepo.ts"
import { Finances } from "./Finances.ts"
import { Obligations } from "./Obligations.ts"
import { ObligationsRepo } from "./ObligationsRepo.ts"
import { Refunds } from "./Refunds.ts"
import { RefundsRepo } from "./RefundsRepo.ts"

export const layer = Layer.mergeAll(Finances.layer, Obligations.layer, Refunds.layer).pipe(
  Layer.provide([FinanceRepo.layer, ObligationsRepo.layer, RefundsRepo.layer])
)
