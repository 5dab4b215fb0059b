import { Layer } from "effect"
import { Gifts } from "./Gifts.ts"
import { Redemptions } from "./Redemptions.ts"

/** Gifts, and their redemption. */
export const layer = Layer.merge(Gifts.layer, Redemptions.layer)
