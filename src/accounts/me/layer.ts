import { Layer } from "effect"
import { Identity } from "./Identity.ts"
import { MeRepo } from "./MeRepo.ts"

export const layer = Identity.layer.pipe(Layer.provide(MeRepo.layer))
