import { Layer } from "effect"
import { Payees } from "./Payees.ts"
import { Settlements } from "./Settlements.ts"
import { UnresolvedSettlements } from "./UnresolvedSettlements.ts"

export const layer = Layer.merge(
  UnresolvedSettlements.layer.pipe(Layer.provideMerge(Settlements.layer)),
  Payees.layer
)
