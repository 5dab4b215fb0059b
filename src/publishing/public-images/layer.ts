import { Layer } from "effect"
import { Media } from "./Media.ts"
import { MediaRepo } from "./MediaRepo.ts"

export const layer = Media.layer.pipe(Layer.provide(MediaRepo.layer))
