import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import { CODE_MAIL_LIMITS } from "../email-codes/EmailCode.ts"
import {
  InvalidChallenge,
  InvalidCode,
  JsonWebKeySet,
  LoggedOut,
  LoginAccepted,
  LoginRequest,
  RefreshRequest,
  RegistrationClosed,
  SessionExpired,
  TokenPair,
  VerifyRequest,
  WalletChallenge,
  WalletChallengeRequest,
  WalletClaim
} from "./Session.ts"
import { SIGNATURE_RULE } from "./walletSignature.ts"

export class SessionsApi extends HttpApiGroup.make("sessions")
  .add(
    // This operation has no limit, because an owner may have to end a session with lost tokens.
    HttpApiEndpoint.post("logout", "/api/v1/auth/logout", { success: LoggedOut })
      .annotateMerge(
        OpenApi.annotations({
          summary: "End this session",
          description: "Ends the session of the access token, and no other."
        })
      )
      .annotate(AllowedWhileRestricted, true)
  )
  .middleware(ProblemRateLimits)
  .middleware(OwnerSessionProblem)
  .add(
    HttpApiEndpoint.post("challengeWallet", "/api/v1/auth/nano/challenge", {
      payload: WalletChallengeRequest,
      success: WalletChallenge.pipe(HttpApiSchema.status(201)),
      error: inProblems(Validation, "validation")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Ask for a message to sign",
          description: `Returns a message for a wallet to sign. The message is valid for five minutes and moves no funds. Known and unknown accounts get the same kind of answer. ${SIGNATURE_RULE}`
        })
      )
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("claimWallet", "/api/v1/auth/nano/claim", {
      payload: WalletClaim,
      success: TokenPair,
      error: [
        inProblems(InvalidChallenge, "invalid-challenge"),
        inProblems(RegistrationClosed, "registration-closed")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Sign in with the signature of a wallet",
          description: `Exchanges a signature over the message of a challenge for a token pair. The first claim of an account creates its owner, unless the site takes no new accounts: then it is a 403. ${SIGNATURE_RULE}`
        })
      )
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("login", "/api/v1/auth/login", {
      payload: LoginRequest,
      success: LoginAccepted.pipe(HttpApiSchema.status(202))
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Request a login code by mail",
          description: `Sends a code by mail to a returning owner. The answer never reveals whether the address has an account. ${CODE_MAIL_LIMITS}`
        })
      )
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("verify", "/api/v1/auth/verify", {
      payload: VerifyRequest,
      success: TokenPair,
      error: inProblems(InvalidCode, "invalid-code")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Sign in with the code of a mail",
          description: "Exchanges the code of a login mail for a token pair."
        })
      )
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("refresh", "/api/v1/auth/refresh", {
      payload: RefreshRequest,
      success: TokenPair,
      error: inProblems(SessionExpired, "session-expired")
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Replace both tokens of a session",
          description:
            "Replaces both tokens. A repeat within 10 seconds returns the same pair; a later reuse of a token ends its session."
        })
      )
      .annotateMerge(rateLimit("refresh")),
    HttpApiEndpoint.get("keySet", "/.well-known/jwks.json", { success: JsonWebKeySet })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the keys that verify access tokens",
          description: "Returns the public keys (RFC 7517) that verify access tokens."
        })
      )
      .annotateMerge(rateLimit("public-read"))
  )
  .middleware(ProblemRateLimits)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Sessions",
      description: "Sign in, refresh and log out"
    })
  ) {}
