import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Validation } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { InvalidChallenge, WalletChallenge, WalletChallengeRequest, WalletClaim } from "./Session.ts"
import { LinkedWallet, WalletAlreadyLinked, WalletTaken } from "./WalletLink.ts"
import { SIGNATURE_RULE } from "./walletSignature.ts"

/** Links a Nano wallet to an account that was created by e-mail (spec 5.6). */
export class AccountWalletApi extends HttpApiGroup.make("accountWallet")
  .add(
    HttpApiEndpoint.post("challenge", "/challenge", {
      payload: WalletChallengeRequest,
      success: WalletChallenge.pipe(HttpApiSchema.status(201)),
      error: inJson(Validation, "validation")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Ask for a message that links a wallet to this account",
        description:
          "Returns a message that links a wallet to the calling account once the wallet has signed it. The message is valid for five minutes and moves no funds."
      })
    ),
    HttpApiEndpoint.post("link", "/", {
      payload: WalletClaim,
      success: LinkedWallet,
      error: [
        inJson(InvalidChallenge, "invalid_challenge"),
        inJson(WalletTaken, "wallet_taken"),
        inJson(WalletAlreadyLinked, "wallet_already_linked")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Link a wallet with its signature",
        description: `Links the wallet that signed the message of a challenge, so that it can sign in to this account. A repeat succeeds. ${SIGNATURE_RULE}`
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account-code"))
  .prefix("/api/v1/account/wallet")
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Account wallet",
      description: "Link a Nano wallet to an account that was created by e-mail"
    })
  ) {}
