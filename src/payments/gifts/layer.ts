import { Layer } from "effect"
import { Gifts } from "./Gifts.ts"
import { GiftsRepo } from "./GiftsRepo.ts"
import { Redemptions } from "./Redemptions.ts"
import { RedemptionsRepo } from "./RedemptionsRepo.ts"
import { shownTokens } from "./shownTokens.ts"

/** Gifts, and the redemption of the tokens that readers send to Posts. */
export const layer = Layer.merge(Gifts.layer, shownTokens.pipe(Layer.provideMerge(Redemptions.layer))).pipe(
  Layer.provide([GiftsRepo.layer, RedemptionsRepo.layer])
)
