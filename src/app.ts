import { Layer } from "effect"
import { HttpRouter, UrlParams } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { CircuitBreaker } from "effect/persistence"
import { RpcSerialization } from "effect/rpc"
import { Api } from "../schemas/Api.ts"
import { AccountEmail } from "./account-email/AccountEmail.ts"
import { AccountEmailRepo } from "./account-email/AccountEmailRepo.ts"
import { ConfirmationTokens } from "./account-email/ConfirmationTokens.ts"
import { AccountEmailHttp } from "./account-email/http.ts"
import { Accounts } from "./accounts/Accounts.ts"
import { AccountsRepo } from "./accounts/AccountsRepo.ts"
import { Administrators } from "./administration/Administrators.ts"
import { ApiKeys } from "./api-keys/ApiKeys.ts"
import { ApiKeysRepo } from "./api-keys/ApiKeysRepo.ts"
import { ApiKeysHttp } from "./api-keys/http.ts"
import { Discovery } from "./discovery/Discovery.ts"
import { DiscoveryRepo } from "./discovery/DiscoveryRepo.ts"
import { DiscoveryHttp } from "./discovery/http.ts"
import { SummariesRepo } from "./discovery/SummariesRepo.ts"
import { EmailCodes } from "./email-codes/EmailCodes.ts"
import { EmailCodesRepo } from "./email-codes/EmailCodesRepo.ts"
import { Housekeeping } from "./housekeeping/Housekeeping.ts"
import { AdministratorLive } from "./http/administrator.ts"
import { ConfirmationPageLive } from "./http/confirmationPage.ts"
import { DocsLive, DocsPolicy } from "./http/docs.ts"
import { EdgeLive } from "./http/edge.ts"
import { FamiliesLive } from "./http/families.ts"
import { HealthLive } from "./http/health.ts"
import { MediaLive } from "./http/media.ts"
import { ProblemPagesLive } from "./http/problemPages.ts"
import { PublicPagesLive } from "./http/publicPages.ts"
import { RateLimitsLive } from "./http/rateLimits.ts"
import { RpcLive } from "./http/rpc.ts"
import { SecurityLive } from "./http/security.ts"
import { UnmatchedMethodsLive } from "./http/unmatched.ts"
import { WelcomeLive } from "./http/welcome.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { IdempotencyRepo } from "./idempotency/IdempotencyRepo.ts"
import { MailDelivery } from "./mail/MailDelivery.ts"
import { Mails } from "./mail/Mails.ts"
import { MailsRepo } from "./mail/MailsRepo.ts"
import { MeHttp } from "./me/http.ts"
import { Identity } from "./me/Identity.ts"
import { MeRepo } from "./me/MeRepo.ts"
import { Media } from "./media/Media.ts"
import { MediaRepo } from "./media/MediaRepo.ts"
import { PayoutAddressHttp } from "./payout-address/http.ts"
import { PayoutAddresses } from "./payout-address/PayoutAddresses.ts"
import { PayoutAddressesRepo } from "./payout-address/PayoutAddressesRepo.ts"
import { Creations } from "./posts/Creations.ts"
import { Edits } from "./posts/Edits.ts"
import { PostsHttp } from "./posts/http.ts"
import { ImageReferences } from "./posts/ImageReferences.ts"
import { LongWrites } from "./posts/LongWrites.ts"
import { NativeContents } from "./posts/NativeContents.ts"
import { NativeContentsRepo } from "./posts/NativeContentsRepo.ts"
import { PostFinance } from "./posts/PostFinance.ts"
import { PostFinanceRepo } from "./posts/PostFinanceRepo.ts"
import { Posts } from "./posts/Posts.ts"
import { PostsRepo } from "./posts/PostsRepo.ts"
import { Publications } from "./posts/Publications.ts"
import { PublicationsRepo } from "./posts/PublicationsRepo.ts"
import { ProfileHttp } from "./profile/http.ts"
import { Profiles } from "./profile/Profiles.ts"
import { ProfilesRepo } from "./profile/ProfilesRepo.ts"
import { RateLimits } from "./rate-limits/RateLimits.ts"
import { RegistrationsHttp } from "./registrations/http.ts"
import { Registrations } from "./registrations/Registrations.ts"
import { RegistrationsRepo } from "./registrations/RegistrationsRepo.ts"
import { Screening } from "./screening/Screening.ts"
import { Secrets } from "./secrets/Secrets.ts"
import { EmailLogin } from "./sessions/EmailLogin.ts"
import { SessionsHttp } from "./sessions/http.ts"
import { Sessions } from "./sessions/Sessions.ts"
import { SessionsRepo } from "./sessions/SessionsRepo.ts"
import { WalletChallengesRepo } from "./sessions/WalletChallengesRepo.ts"
import { WalletLogin } from "./sessions/WalletLogin.ts"
import { Transactions } from "./sql/Transactions.ts"
import { Admissions } from "./uploads/Admissions.ts"
import { AssociationsRepo } from "./uploads/AssociationsRepo.ts"
import { Cleanups } from "./uploads/Cleanups.ts"
import { ControlsRepo } from "./uploads/ControlsRepo.ts"
import { UploadsHttp } from "./uploads/http.ts"
import { PostMedia } from "./uploads/PostMedia.ts"
import { Promotions } from "./uploads/Promotions.ts"
import { PublicCopies } from "./uploads/PublicCopies.ts"
import { Receipts } from "./uploads/Receipts.ts"
import { ReservationsRepo } from "./uploads/ReservationsRepo.ts"
import { UploadsRpc } from "./uploads/rpc.ts"
import { ScreenedFiles } from "./uploads/ScreenedFiles.ts"
import { StagedFiles } from "./uploads/StagedFiles.ts"
import { UploadControls } from "./uploads/UploadControls.ts"
import { UploadFibers } from "./uploads/UploadFibers.ts"
import { Uploads } from "./uploads/Uploads.ts"
import { UploadsRepo } from "./uploads/UploadsRepo.ts"
import { UploadWakes } from "./uploads/UploadWakes.ts"
import { UploadWork } from "./uploads/UploadWork.ts"
import { Verdicts } from "./uploads/Verdicts.ts"
import { Withdrawals } from "./uploads/Withdrawals.ts"
import { WorkRepo } from "./uploads/WorkRepo.ts"

const repositories = Layer.mergeAll(
  AccountEmailRepo.layer,
  AccountsRepo.layer,
  ApiKeysRepo.layer,
  AssociationsRepo.layer,
  ControlsRepo.layer,
  DiscoveryRepo.layer,
  EmailCodesRepo.layer,
  IdempotencyRepo.layer,
  MailsRepo.layer,
  MediaRepo.layer,
  MeRepo.layer,
  NativeContentsRepo.layer,
  PayoutAddressesRepo.layer,
  PostFinanceRepo.layer,
  PostsRepo.layer,
  ProfilesRepo.layer,
  PublicationsRepo.layer,
  RegistrationsRepo.layer,
  ReservationsRepo.layer,
  SessionsRepo.layer,
  SummariesRepo.layer,
  UploadsRepo.layer,
  WalletChallengesRepo.layer,
  WorkRepo.layer
)

/** What features share. */
const shared = Layer.mergeAll(EmailCodes.layer.pipe(Layer.provideMerge(Mails.layer)), Idempotency.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(RateLimits.layer, Secrets.layer, Transactions.layer, UploadWakes.layer))
)

/** Who somebody is, what they may do and what they look like. */
const owners = Layer.mergeAll(
  Accounts.layer,
  Administrators.layer,
  ApiKeys.layer,
  Profiles.layer,
  Sessions.layer
)

const edits = Layer.mergeAll(
  NativeContents.layer,
  Posts.layer.pipe(Layer.provide([PostFinance.layer, PostMedia.layer]))
).pipe(Layer.provide(Edits.layer), Layer.provideMerge(Publications.layer))

const posts = Layer.mergeAll(Creations.layer, edits, ImageReferences.layer).pipe(
  Layer.provide(LongWrites.layer)
)

const files = StagedFiles.layer.pipe(Layer.provideMerge(PublicCopies.layer))

const screening = Screening.layer.pipe(Layer.provide(CircuitBreaker.layerStoreMemory()))

/** What is done for an upload, step by step. */
const uploadSteps = Layer.mergeAll(
  Cleanups.layer,
  Promotions.layer,
  Verdicts.layer.pipe(Layer.provide([ScreenedFiles.layer, screening]))
)

const uploads = Layer.mergeAll(
  Admissions.layer.pipe(Layer.provide(Receipts.layer)),
  Media.layer,
  UploadControls.layer,
  Uploads.layer,
  UploadWork.layer.pipe(Layer.provide(uploadSteps))
).pipe(Layer.provide([files, Withdrawals.layer]), Layer.provideMerge(posts))

const features = Layer.mergeAll(
  AccountEmail.layer.pipe(Layer.provide(ConfirmationTokens.layer)),
  Discovery.layer,
  EmailLogin.layer,
  Identity.layer,
  PayoutAddresses.layer,
  uploads,
  Registrations.layer,
  WalletLogin.layer
)

/** The domain, over whatever database and ports it is given. */
export const domain = features.pipe(
  Layer.provideMerge(owners),
  Layer.provideMerge(shared),
  Layer.provide(repositories)
)

const handlers = Layer.mergeAll(
  AccountEmailHttp,
  ApiKeysHttp,
  DiscoveryHttp,
  MeHttp,
  PayoutAddressHttp,
  PostsHttp,
  ProfileHttp,
  RegistrationsHttp,
  SessionsHttp,
  UploadsHttp
).pipe(Layer.provide([SecurityLive, FamiliesLive, RateLimitsLive]))

/** Every route of the service. Tests and the server mount this same layer. */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(Layer.provide(handlers)),
  DocsLive.pipe(Layer.provide(DocsPolicy)),
  PrometheusMetrics.layerHttp(),
  ConfirmationPageLive,
  HealthLive,
  MediaLive,
  PublicPagesLive,
  ProblemPagesLive,
  RpcLive.pipe(Layer.provide([UploadsRpc, AdministratorLive, RpcSerialization.layerNdjson])),
  UnmatchedMethodsLive,
  WelcomeLive,
  EdgeLive
)

/** What runs beside the requests, in supervised fibers. */
export const background = Layer.mergeAll(Housekeeping, MailDelivery, UploadFibers)

/** Slugs of Posts are the longest parameters of paths, 120 characters; the router's own limit is 100. */
export const routerConfig = { maxParamLength: 200 }

/** Values of a query that no trace may hold: a confirmation link has its token there, and callers mistake places. */
const secretParameters = [/token|code|key|secret|email/i]

/** The service over an `HttpServer`. */
export const http = HttpRouter.serve(routes, {
  routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(Layer.provide(Layer.succeed(UrlParams.CurrentRedactedNames, secretParameters)))
