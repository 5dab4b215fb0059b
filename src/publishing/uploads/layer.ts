import { Layer } from "effect"
import * as Screening from "../screening/layer.ts"
import { AccountStorage } from "../storage/AccountStorage.ts"
import { UploadPipeline } from "./pipeline/UploadPipeline.ts"
import { layer as PostImagesUploads } from "./postImages.ts"
import { UploadOperationsRepo } from "./repository/UploadOperationsRepo.ts"
import { UploadPlaces } from "./repository/UploadPlaces.ts"
import { UploadAdministration } from "./UploadAdministration.ts"
import { Uploads } from "./Uploads.ts"

export const layer = Layer.mergeAll(
  Uploads.layer,
  UploadAdministration.layer,
  UploadPipeline.layer.pipe(Layer.provide(Screening.layer))
).pipe(Layer.provide([UploadPlaces.layer, AccountStorage.layer]), Layer.provide(UploadOperationsRepo.layer))

/** The port through which Posts release their images. */
export const postImages = PostImagesUploads.pipe(Layer.provide(UploadOperationsRepo.layer))
