import { Layer } from "effect"
import { HttpRouter, UrlParams } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { CircuitBreaker } from "effect/persistence"
import { RpcSerialization } from "effect/rpc"
import { Api } from "../schemas/Api.ts"
import { AccountEmail } from "./accounts/account-email/AccountEmail.ts"
import { AccountEmailRepo } from "./accounts/account-email/AccountEmailRepo.ts"
import { ConfirmationTokens } from "./accounts/account-email/ConfirmationTokens.ts"
import { AccountEmailHttp } from "./accounts/account-email/http.ts"
import { ConfirmationPageLive } from "./accounts/account-email/pages.ts"
import { Administrators } from "./accounts/administration/Administrators.ts"
import { AdministratorLive } from "./accounts/administration/rpc.ts"
import { ApiKeys } from "./accounts/api-keys/ApiKeys.ts"
import { ApiKeysRepo } from "./accounts/api-keys/ApiKeysRepo.ts"
import { ApiKeysHttp } from "./accounts/api-keys/http.ts"
import { EmailCodes } from "./accounts/email-codes/EmailCodes.ts"
import { EmailCodesRepo } from "./accounts/email-codes/EmailCodesRepo.ts"
import { MeHttp } from "./accounts/me/http.ts"
import { Identity } from "./accounts/me/Identity.ts"
import { MeRepo } from "./accounts/me/MeRepo.ts"
import { Accounts } from "./accounts/owners/Accounts.ts"
import { AccountsRepo } from "./accounts/owners/AccountsRepo.ts"
import { PayoutAddressHttp } from "./accounts/payout-address/http.ts"
import { PayoutAddresses } from "./accounts/payout-address/PayoutAddresses.ts"
import { PayoutAddressesRepo } from "./accounts/payout-address/PayoutAddressesRepo.ts"
import { ProfileHttp } from "./accounts/profile/http.ts"
import { Profiles } from "./accounts/profile/Profiles.ts"
import { ProfilesRepo } from "./accounts/profile/ProfilesRepo.ts"
import { RegistrationsHttp } from "./accounts/registrations/http.ts"
import { Registrations } from "./accounts/registrations/Registrations.ts"
import { RegistrationsRepo } from "./accounts/registrations/RegistrationsRepo.ts"
import { SecurityLive } from "./accounts/security/http.ts"
import { EmailLogin } from "./accounts/sessions/EmailLogin.ts"
import { SessionsHttp } from "./accounts/sessions/http.ts"
import { Sessions } from "./accounts/sessions/Sessions.ts"
import { SessionsRepo } from "./accounts/sessions/SessionsRepo.ts"
import { WalletChallengesRepo } from "./accounts/sessions/WalletChallengesRepo.ts"
import { WalletLogin } from "./accounts/sessions/WalletLogin.ts"
import { Housekeeping } from "./housekeeping/Housekeeping.ts"
import { DocsLive, DocsPolicy } from "./platform/http/docs.ts"
import { EdgeLive } from "./platform/http/edge.ts"
import { FamiliesLive } from "./platform/http/families.ts"
import { HealthLive } from "./platform/http/health.ts"
import { ProblemPagesLive } from "./platform/http/problemPages.ts"
import { RpcLive } from "./accounts/administration/routes.ts"
import { UnmatchedMethodsLive } from "./platform/http/unmatched.ts"
import { WelcomeLive } from "./platform/http/welcome.ts"
import { Idempotency } from "./platform/idempotency/Idempotency.ts"
import { IdempotencyRepo } from "./platform/idempotency/IdempotencyRepo.ts"
import { MailDelivery } from "./platform/mail/MailDelivery.ts"
import { Mails } from "./platform/mail/Mails.ts"
import { MailsRepo } from "./platform/mail/MailsRepo.ts"
import { RateLimitsLive } from "./platform/rate-limits/http.ts"
import { RateLimits } from "./platform/rate-limits/RateLimits.ts"
import { Secrets } from "./platform/secrets/Secrets.ts"
import { Transactions } from "./platform/sql/Transactions.ts"
import { Discovery } from "./publishing/discovery/Discovery.ts"
import { DiscoveryRepo } from "./publishing/discovery/DiscoveryRepo.ts"
import { DiscoveryHttp } from "./publishing/discovery/http.ts"
import { PublicPagesLive } from "./publishing/discovery/pages.ts"
import { SummariesRepo } from "./publishing/discovery/SummariesRepo.ts"
import { Creations } from "./publishing/posts/Creations.ts"
import { Edits } from "./publishing/posts/Edits.ts"
import { PostsHttp } from "./publishing/posts/http.ts"
import { ImageReferences } from "./publishing/posts/ImageReferences.ts"
import { LongWrites } from "./publishing/posts/LongWrites.ts"
import { NativeContents } from "./publishing/posts/NativeContents.ts"
import { NativeContentsRepo } from "./publishing/posts/NativeContentsRepo.ts"
import { PostFinance } from "./publishing/posts/PostFinance.ts"
import { PostFinanceRepo } from "./publishing/posts/PostFinanceRepo.ts"
import { Posts } from "./publishing/posts/Posts.ts"
import { PostsRepo } from "./publishing/posts/PostsRepo.ts"
import { Publications } from "./publishing/posts/Publications.ts"
import { PublicationsRepo } from "./publishing/posts/PublicationsRepo.ts"
import { MediaLive } from "./publishing/public-images/http.ts"
import { Media } from "./publishing/public-images/Media.ts"
import { MediaRepo } from "./publishing/public-images/MediaRepo.ts"
import { Screening } from "./publishing/screening/Screening.ts"
import { Admissions } from "./publishing/uploads/Admissions.ts"
import { AssociationsRepo } from "./publishing/uploads/AssociationsRepo.ts"
import { Cleanups } from "./publishing/uploads/Cleanups.ts"
import { ControlsRepo } from "./publishing/uploads/ControlsRepo.ts"
import { UploadsHttp } from "./publishing/uploads/http.ts"
import { PostMedia } from "./publishing/uploads/PostMedia.ts"
import { Promotions } from "./publishing/uploads/Promotions.ts"
import { PublicCopies } from "./publishing/uploads/PublicCopies.ts"
import { Receipts } from "./publishing/uploads/Receipts.ts"
import { ReservationsRepo } from "./publishing/uploads/ReservationsRepo.ts"
import { UploadsRpc } from "./publishing/uploads/rpc.ts"
import { ScreenedFiles } from "./publishing/uploads/ScreenedFiles.ts"
import { StagedFiles } from "./publishing/uploads/StagedFiles.ts"
import { UploadControls } from "./publishing/uploads/UploadControls.ts"
import { UploadFibers } from "./publishing/uploads/UploadFibers.ts"
import { Uploads } from "./publishing/uploads/Uploads.ts"
import { UploadsRepo } from "./publishing/uploads/UploadsRepo.ts"
import { UploadWakes } from "./publishing/uploads/UploadWakes.ts"
import { UploadWork } from "./publishing/uploads/UploadWork.ts"
import { Verdicts } from "./publishing/uploads/Verdicts.ts"
import { Withdrawals } from "./publishing/uploads/Withdrawals.ts"
import { WorkRepo } from "./publishing/uploads/WorkRepo.ts"

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
