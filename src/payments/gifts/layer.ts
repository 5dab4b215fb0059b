import { Layer } from "effect"
import { Gifts } from "./Gifts.ts"
import { Redemptions } from "./Redemptions.ts"
import { shownTokens } from "./shownTokens.ts"

/** Gifts, and the redemption of the tokens that readers send to Posts. */
export const layer = Layer.merge(Gifts.layer, shownTokens.pipe(Layer.provideMerge(Redemptions.layer)))
