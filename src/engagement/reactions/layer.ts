import { Layer } from "effect"
import { Reactions } from "./Reactions.ts"
import { ReactionsRepo } from "./ReactionsRepo.ts"

export const layer = Reactions.layer.pipe(Layer.provide(ReactionsRepo.layer))
