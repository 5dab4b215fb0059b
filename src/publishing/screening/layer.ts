import { Layer } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { Screening } from "./Screening.ts"

export const layer = Screening.layer.pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))
