import { Layer } from "effect"
import * as Screening from "../screening/layer.ts"
import { ImagePlaces } from "./ImagePlaces.ts"
import { UploadPipeline } from "./pipeline/UploadPipeline.ts"
import { layer as PostImagesUploads } from "./postImages.ts"
import { UploadAdministration } from "./UploadAdministration.ts"
import { UploadOperationsRepo } from "./UploadOperationsRepo.ts"
import { Uploads } from "./Uploads.ts"

export const layer = Layer.mergeAll(
  Uploads.layer,
  UploadAdministration.layer,
  UploadPipeline.layer.pipe(Layer.provide(Screening.layer))
).pipe(Layer.provide(ImagePlaces.layer), Layer.provide(UploadOperationsRepo.layer))

/** The port through which Posts release their images. */
export const postImages = PostImagesUploads.pipe(Layer.provide(UploadOperationsRepo.layer))
