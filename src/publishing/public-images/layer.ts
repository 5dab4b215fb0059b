import { Layer } from "effect"
import { PublicImages } from "./PublicImages.ts"
import { PublicImagesRepo } from "./PublicImagesRepo.ts"

export const layer = PublicImages.layer.pipe(Layer.provide(PublicImagesRepo.layer))
