import { Layer } from "effect"
import { Giving } from "./Giving.ts"
import { GivingRepo } from "./GivingRepo.ts"

export const layer = Giving.layer.pipe(Layer.provide(GivingRepo.layer))
