import { Layer } from "effect"
import { Activities } from "./Activities.ts"
import { ActivityRepo } from "./ActivityRepo.ts"

export const layer = Activities.layer.pipe(Layer.provide(ActivityRepo.layer))
