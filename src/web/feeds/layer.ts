import { Layer } from "effect"
import { Feeds } from "./Feeds.ts"
import { Sitemaps } from "./Sitemaps.ts"

export const layer = Layer.merge(Feeds.layer, Sitemaps.layer)
