import { Layer } from "effect"
import { Tipping } from "./Tipping.ts"
import { TipTargets } from "./TipTargets.ts"

/** Tips by x402, and the targets of tips. */
export const layer = Tipping.layer.pipe(Layer.provideMerge(TipTargets.layer))
