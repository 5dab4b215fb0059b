import { Layer } from "effect"
import { Discovery } from "./Discovery.ts"
import { DiscoveryRepo } from "./DiscoveryRepo.ts"
import { RelatedRepo } from "./RelatedRepo.ts"
import { SummariesRepo } from "./SummariesRepo.ts"

export const layer = Discovery.layer.pipe(
  Layer.provide([DiscoveryRepo.layer, RelatedRepo.layer, SummariesRepo.layer])
)
