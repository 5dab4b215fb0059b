import { Layer } from "effect"
import { Discovery } from "./Discovery.ts"
import { DiscoveryRepo } from "./DiscoveryRepo.ts"
import { SummariesRepo } from "./SummariesRepo.ts"

export const layer = Discovery.layer.pipe(Layer.provide([DiscoveryRepo.layer, SummariesRepo.layer]))
