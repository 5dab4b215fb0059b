import { Layer } from "effect"
import { HttpRouter, UrlParams } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { Api } from "../schemas/Api.ts"
import { AccountEmail } from "./account-email/AccountEmail.ts"
import { AccountEmailRepo } from "./account-email/AccountEmailRepo.ts"
import { ConfirmationTokens } from "./account-email/ConfirmationTokens.ts"
import { AccountEmailHttp } from "./account-email/http.ts"
import { Accounts } from "./accounts/Accounts.ts"
import { AccountsRepo } from "./accounts/AccountsRepo.ts"
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
import { ConfirmationPageLive } from "./http/confirmationPage.ts"
import { DocsLive, DocsPolicy } from "./http/docs.ts"
import { EdgeLive } from "./http/edge.ts"
import { FamiliesLive } from "./http/families.ts"
import { HealthLive } from "./http/health.ts"
import { ProblemPagesLive } from "./http/problemPages.ts"
import { PublicPagesLive } from "./http/publicPages.ts"
import { RateLimitsLive } from "./http/rateLimits.ts"
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
import { PayoutAddressHttp } from "./payout-address/http.ts"
import { PayoutAddresses } from "./payout-address/PayoutAddresses.ts"
import { PayoutAddressesRepo } from "./payout-address/PayoutAddressesRepo.ts"
import { Creations } from "./posts/Creations.ts"
import { Edits } from "./posts/Edits.ts"
import { PostsHttp } from "./posts/http.ts"
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
import { Secrets } from "./secrets/Secrets.ts"
import { EmailLogin } from "./sessions/EmailLogin.ts"
import { SessionsHttp } from "./sessions/http.ts"
import { Sessions } from "./sessions/Sessions.ts"
import { SessionsRepo } from "./sessions/SessionsRepo.ts"
import { WalletChallengesRepo } from "./sessions/WalletChallengesRepo.ts"
import { WalletLogin } from "./sessions/WalletLogin.ts"
import { Transactions } from "./sql/Transactions.ts"

const repositories = Layer.mergeAll(
  AccountEmailRepo.layer,
  AccountsRepo.layer,
  ApiKeysRepo.layer,
  DiscoveryRepo.layer,
  EmailCodesRepo.layer,
  IdempotencyRepo.layer,
  MailsRepo.layer,
  MeRepo.layer,
  NativeContentsRepo.layer,
  PayoutAddressesRepo.layer,
  PostFinanceRepo.layer,
  PostsRepo.layer,
  ProfilesRepo.layer,
  PublicationsRepo.layer,
  RegistrationsRepo.layer,
  SessionsRepo.layer,
  SummariesRepo.layer,
  WalletChallengesRepo.layer
)

/** What features share. */
const shared = Layer.mergeAll(EmailCodes.layer.pipe(Layer.provideMerge(Mails.layer)), Idempotency.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(RateLimits.layer, Secrets.layer, Transactions.layer))
)

/** Who somebody is, what they may do and what they look like. */
const owners = Layer.mergeAll(Accounts.layer, ApiKeys.layer, Profiles.layer, Sessions.layer)

const edits = Layer.mergeAll(NativeContents.layer, Posts.layer.pipe(Layer.provide(PostFinance.layer))).pipe(
  Layer.provide(Edits.layer),
  Layer.provideMerge(Publications.layer)
)

const posts = Layer.mergeAll(Creations.layer, edits).pipe(Layer.provide(LongWrites.layer))

const features = Layer.mergeAll(
  AccountEmail.layer.pipe(Layer.provide(ConfirmationTokens.layer)),
  Discovery.layer,
  EmailLogin.layer,
  Identity.layer,
  PayoutAddresses.layer,
  posts,
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
  SessionsHttp
).pipe(Layer.provide([SecurityLive, FamiliesLive, RateLimitsLive]))

/** Every route of the service. Tests and the server mount this same layer. */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api, { openapiPath: "/openapi.json" }).pipe(Layer.provide(handlers)),
  DocsLive.pipe(Layer.provide(DocsPolicy)),
  PrometheusMetrics.layerHttp(),
  ConfirmationPageLive,
  HealthLive,
  PublicPagesLive,
  ProblemPagesLive,
  UnmatchedMethodsLive,
  WelcomeLive,
  EdgeLive
)

/** What runs beside the requests, in supervised fibers. */
export const background = Layer.mergeAll(Housekeeping, MailDelivery)

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
