import { Layer } from "effect"
import { Purchases } from "./Purchases.ts"
import { PurchasesRepo } from "./PurchasesRepo.ts"

export const layer = Purchases.layer.pipe(Layer.provide(PurchasesRepo.layer))
