import { Layer } from "effect"
import { Lists } from "./Lists.ts"
import { ListsRepo } from "./ListsRepo.ts"

export const layer = Lists.layer.pipe(Layer.provide(ListsRepo.layer))
