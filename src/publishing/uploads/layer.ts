import { Layer } from "effect"
import * as Screening from "../screening/layer.ts"
import { Admissions } from "./Admissions.ts"
import { AssociationsRepo } from "./AssociationsRepo.ts"
import { Cleanups } from "./Cleanups.ts"
import { ControlsRepo } from "./ControlsRepo.ts"
import * as PostImagesUploads from "./PostImagesUploads.ts"
import { Promotions } from "./Promotions.ts"
import { PublicCopies } from "./PublicCopies.ts"
import { Receipts } from "./Receipts.ts"
import { ReservationsRepo } from "./ReservationsRepo.ts"
import { ScreenedFiles } from "./ScreenedFiles.ts"
import { StagedFiles } from "./StagedFiles.ts"
import { UploadControls } from "./UploadControls.ts"
import { Uploads } from "./Uploads.ts"
import { UploadsRepo } from "./UploadsRepo.ts"
import { UploadWakes } from "./UploadWakes.ts"
import { UploadWork } from "./UploadWork.ts"
import { Verdicts } from "./Verdicts.ts"
import { Withdrawals } from "./Withdrawals.ts"
import { WorkRepo } from "./WorkRepo.ts"

const repositories = Layer.mergeAll(
  AssociationsRepo.layer,
  ControlsRepo.layer,
  ReservationsRepo.layer,
  UploadsRepo.layer,
  WorkRepo.layer
)

const files = StagedFiles.layer.pipe(Layer.provideMerge(PublicCopies.layer))

/** The steps of an operation, one service each. */
const steps = Layer.mergeAll(
  Cleanups.layer,
  Promotions.layer,
  Verdicts.layer.pipe(Layer.provide([ScreenedFiles.layer, Screening.layer]))
)

export const layer = Layer.mergeAll(
  Admissions.layer.pipe(Layer.provide(Receipts.layer)),
  UploadControls.layer,
  Uploads.layer,
  UploadWork.layer.pipe(Layer.provide(steps))
).pipe(
  Layer.provide([files, Withdrawals.layer]),
  Layer.provide(repositories),
  // Its fibers wait for it, too.
  Layer.provideMerge(UploadWakes.layer)
)

/** The port through which Posts release their images. */
export const postImages = PostImagesUploads.layer.pipe(Layer.provide([repositories, UploadWakes.layer]))
