import { Layer } from "effect"
import { Discovery } from "./Discovery.ts"
import { RelatedRepo } from "./RelatedRepo.ts"
import { WordFrequencies } from "./WordFrequencies.ts"
import { WordFrequenciesRepo } from "./WordFrequenciesRepo.ts"

export const layer = Layer.merge(
  Discovery.layer.pipe(Layer.provide(RelatedRepo.layer)),
  WordFrequencies.layer.pipe(Layer.provide(WordFrequenciesRepo.layer))
)
