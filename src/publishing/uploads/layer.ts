import { Layer } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { Screening } from "../screening/Screening.ts"
import { AccountStorage } from "../storage/AccountStorage.ts"
import { UploadPipeline } from "./pipeline/UploadPipeline.ts"
import { UploadAdministration } from "./UploadAdministration.ts"
import { Uploads } from "./Uploads.ts"

const screening = Screening.layer.pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

export const layer = Layer.mergeAll(
  Uploads.layer,
  UploadAdministration.layer,
  UploadPipeline.layer.pipe(Layer.provide(screening))
).pipe(Layer.provide(AccountStorage.layer))
