import { Layer } from "effect"
import { Me } from "./Me.ts"
import { MeRepo } from "./MeRepo.ts"

export const layer = Me.layer.pipe(Layer.provide(MeRepo.layer))
