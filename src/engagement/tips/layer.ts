import { Layer } from "effect"
import { PublicTips } from "./PublicTips.ts"
import { TippedPostsRepo } from "./TippedPostsRepo.ts"

export const layer = PublicTips.layer.pipe(Layer.provide(TippedPostsRepo.layer))
