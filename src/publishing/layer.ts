import { Effect, Layer } from "effect"
import * as Accounts from "../accounts/layer.ts"
import * as Platform from "../platform/layer.ts"
import { housekeeping } from "../platform/work/housekeeping.ts"
import { Discovery } from "./discovery/Discovery.ts"
import { DiscoveryHttp } from "./discovery/http.ts"
import { DiscoveryRpc } from "./discovery/rpc.ts"
import { ImportsHttp } from "./imports/service/http.ts"
import { ImportActs } from "./imports/service/ImportActs.ts"
import { ImportErasure } from "./imports/service/ImportErasure.ts"
import { ImportItems } from "./imports/service/ImportItems.ts"
import { Imports } from "./imports/service/Imports.ts"
import { ImportSteps } from "./imports/steps/ImportSteps.ts"
import { ImportsWorker } from "./imports/steps/ImportsWorker.ts"
import { MeHttp } from "./me/http.ts"
import { Me } from "./me/Me.ts"
import { PostErasure } from "./posts/erasure/PostErasure.ts"
import { PostsHttp } from "./posts/http.ts"
import * as Posts from "./posts/layer.ts"
import { PostsRpc } from "./posts/rpc.ts"
import { SchedulesHttp } from "./posts/schedules/http.ts"
import { ScheduleKeyUses } from "./posts/schedules/ScheduleKeyUses.ts"
import { Schedules } from "./posts/schedules/Schedules.ts"
import { SchedulesWorker } from "./posts/schedules/SchedulesWorker.ts"
import { Withdrawals } from "./posts/withdrawal/Withdrawals.ts"
import { PublicImagesRoutes } from "./public-images/http.ts"
import { PublicImages } from "./public-images/PublicImages.ts"
import { AttachmentsHttp, UploadsHttp } from "./uploads/http.ts"
import * as UploadsFeature from "./uploads/layer.ts"
import { OwnUploadsRpc } from "./uploads/ownRpc.ts"
import { UploadWorker } from "./uploads/pipeline/worker.ts"
import { PostImagesUploads } from "./uploads/postImages.ts"
import { UploadsRpc } from "./uploads/rpc.ts"
import { Uploads } from "./uploads/Uploads.ts"

/** Posts, their images, and public reads. */
const layer = Layer.mergeAll(
  Discovery.layer,
  ImportItems.layer,
  Imports.layer,
  Me.layer,
  PublicImages.layer,
  ImportErasure.layer,
  ImportActs.layer.pipe(Layer.provideMerge(ImportSteps.layer), Layer.provideMerge(UploadsFeature.layer)),
  Schedules.layer,
  Withdrawals.layer
).pipe(Layer.provideMerge(Layer.merge(PostErasure.layer, Posts.layer).pipe(Layer.provide(PostImagesUploads))))

/** Handlers of the wing's operations. */
export const handlers = Layer.mergeAll(
  AttachmentsHttp,
  DiscoveryHttp,
  ImportsHttp,
  MeHttp,
  PostsHttp,
  SchedulesHttp,
  UploadsHttp
)

/** Handlers of the wing's procedures. */
export const procedures = Layer.mergeAll(DiscoveryRpc, OwnUploadsRpc, PostsRpc, UploadsRpc)

/** Routes outside the contract. */
export const routes = PublicImagesRoutes

/** Fibers that run alongside requests. */
export const workers = Layer.mergeAll(ImportsWorker, SchedulesWorker, UploadWorker)

/** The services of the wing whose rows expire. */
export const sweepers = Effect.all([Imports, Uploads])

/**
 * Accounts and Posts, without payments and the actions of readers. Its assembly has to answer `PostFinance`, `Notices` and
 * `AuthorKinds`: the service by the wings above, a library user by `withoutPayments`, `withoutNotices` and
 * `withoutComments`.
 */
export const authoring = layer.pipe(
  Layer.provideMerge(Accounts.layer),
  Layer.provideMerge(ScheduleKeyUses),
  Layer.provideMerge(Platform.layer),
  Layer.provideMerge(Platform.base)
)

/** Fibers that run alongside `authoring`. */
export const authoringWorkers = Layer.mergeAll(
  housekeeping(Effect.all([Accounts.sweepers, Platform.sweepers, sweepers])),
  Platform.workers,
  workers
)
