import { Layer } from "effect"
import { Feeds } from "./Feeds.ts"
import { FeedsRepo } from "./FeedsRepo.ts"
import { Sitemaps } from "./Sitemaps.ts"

export const layer = Layer.merge(Feeds.layer, Sitemaps.layer).pipe(Layer.provide(FeedsRepo.layer))
