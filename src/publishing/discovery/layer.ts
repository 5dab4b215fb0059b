import { Layer } from "effect"
import { Discovery } from "./Discovery.ts"
import { DiscoveryRepo } from "./DiscoveryRepo.ts"
import { RelatedRepo } from "./RelatedRepo.ts"
import { SummariesRepo } from "./SummariesRepo.ts"
import { WordFrequencies } from "./WordFrequencies.ts"
import { WordFrequenciesRepo } from "./WordFrequenciesRepo.ts"

export const layer = Layer.merge(
  Discovery.layer.pipe(Layer.provide([DiscoveryRepo.layer, RelatedRepo.layer, SummariesRepo.layer])),
  WordFrequencies.layer.pipe(Layer.provide(WordFrequenciesRepo.layer))
)
