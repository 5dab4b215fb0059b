import { Layer } from "effect"
import { Payees } from "./Payees.ts"
import { PayeesRepo } from "./PayeesRepo.ts"
import { Settlements } from "./Settlements.ts"
import { SettlementsRepo } from "./SettlementsRepo.ts"
import { UnresolvedRepo } from "./UnresolvedRepo.ts"
import { UnresolvedSettlements } from "./UnresolvedSettlements.ts"

export const layer = Layer.mergeAll(
  UnresolvedSettlements.layer.pipe(
    Layer.provideMerge(Settlements.layer),
    Layer.provide(Layer.merge(SettlementsRepo.layer, UnresolvedRepo.layer))
  ),
  Payees.layer.pipe(Layer.provide(PayeesRepo.layer))
)
