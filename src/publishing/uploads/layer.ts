import { Layer } from "effect"
import * as Screening from "../screening/layer.ts"
import { AccountStorage } from "../storage/AccountStorage.ts"
import { UploadPipeline } from "./pipeline/UploadPipeline.ts"
import { UploadAdministration } from "./UploadAdministration.ts"
import { Uploads } from "./Uploads.ts"

export const layer = Layer.mergeAll(
  Uploads.layer,
  UploadAdministration.layer,
  UploadPipeline.layer.pipe(Layer.provide(Screening.layer))
).pipe(Layer.provide(AccountStorage.layer))
