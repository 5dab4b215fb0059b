import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Validation } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { InvalidChallenge, WalletChallenge, WalletChallengeRequest, WalletClaim } from "./Session.ts"
import { LinkedWallet, WalletAlreadyLinked, WalletTaken } from "./WalletLink.ts"

/** Links a Nano wallet to an account that was created by e-mail (spec 5.6). */
export class AccountWalletApi extends HttpApiGroup.make("accountWallet")
  .add(
    HttpApiEndpoint.post("challenge", "/challenge", {
      payload: WalletChallengeRequest,
      success: WalletChallenge.pipe(HttpApiSchema.status(201)),
      error: inJson(Validation, "validation")
    }).annotate(OpenApi.Summary, "Ask for a message that links a wallet to this account"),
    HttpApiEndpoint.post("link", "/", {
      payload: WalletClaim,
      success: LinkedWallet,
      error: [
        inJson(InvalidChallenge, "invalid_challenge"),
        inJson(WalletTaken, "wallet_taken"),
        inJson(WalletAlreadyLinked, "wallet_already_linked")
      ]
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
      description: "Link a Nano wallet to an account that was created by e-mail (spec 5.6)"
    })
  ) {}
