import { Layer } from "effect"
import { Payees } from "./Payees.ts"
import { PayeesRepo } from "./PayeesRepo.ts"
import { Settlements } from "./Settlements.ts"
import { SettlementsRepo } from "./SettlementsRepo.ts"

export const layer = Layer.mergeAll(
  Settlements.layer.pipe(Layer.provide(SettlementsRepo.layer)),
  Payees.layer.pipe(Layer.provide(PayeesRepo.layer))
)
