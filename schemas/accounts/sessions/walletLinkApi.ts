import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { JsonFamily, Validation } from "../../platform/errors/families.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { WalletChallenge, WalletChallengeRequest, WalletClaim } from "./Session.ts"
import { InvalidLinkChallenge, LinkedWallet, WalletAlreadyLinked, WalletTaken } from "./WalletLink.ts"

/** Links a Nano wallet to an account that was made by e-mail (spec 5.6). */
export class AccountWalletApi extends HttpApiGroup.make("accountWallet")
  .add(
    HttpApiEndpoint.post("challenge", "/challenge", {
      payload: WalletChallengeRequest,
      success: WalletChallenge.pipe(HttpApiSchema.status(201)),
      error: Validation
    }).annotate(OpenApi.Summary, "Ask for a message that links a wallet to this account"),
    HttpApiEndpoint.post("link", "/", {
      payload: WalletClaim,
      success: LinkedWallet,
      error: [InvalidLinkChallenge, WalletTaken, WalletAlreadyLinked]
    }).annotate(OpenApi.Summary, "Link a wallet with its signature")
  )
  .annotateEndpointsMerge(rateLimit("account-code"))
  .prefix("/api/v1/account/wallet")
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Account wallet",
      description: "Link a Nano wallet to an account that was made by e-mail (spec 5.6)"
    })
  ) {}
