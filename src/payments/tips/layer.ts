import { Layer } from "effect"
import { PublicTips } from "./PublicTips.ts"
import { Tipping } from "./Tipping.ts"
import { TipTargets } from "./TipTargets.ts"

/** Tips by x402, the targets of tips, and tips as anyone sees them. */
export const layer = Layer.merge(Tipping.layer, PublicTips.layer).pipe(Layer.provideMerge(TipTargets.layer))
