import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Validation } from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import {
  InvalidChallenge,
  InvalidCode,
  JsonWebKeySet,
  LoggedOut,
  LoginAccepted,
  LoginRequest,
  RefreshRequest,
  SessionExpired,
  TokenPair,
  VerifyRequest,
  WalletChallenge,
  WalletChallengeRequest,
  WalletClaim
} from "./Session.ts"

export class SessionsApi extends HttpApiGroup.make("sessions")
  .add(
    // This operation has no limit, because an owner may have to end a session with lost tokens.
    HttpApiEndpoint.post("logout", "/api/v1/auth/logout", { success: LoggedOut })
      .annotate(OpenApi.Summary, "End this session")
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
      .annotate(OpenApi.Summary, "Ask for a message to sign")
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("claimWallet", "/api/v1/auth/nano/claim", {
      payload: WalletClaim,
      success: TokenPair,
      error: inProblems(InvalidChallenge, "invalid-challenge")
    })
      .annotate(OpenApi.Summary, "Sign in with the signature of a wallet")
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("login", "/api/v1/auth/login", {
      payload: LoginRequest,
      success: LoginAccepted.pipe(HttpApiSchema.status(202))
    })
      .annotate(OpenApi.Summary, "Request a login code by mail")
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("verify", "/api/v1/auth/verify", {
      payload: VerifyRequest,
      success: TokenPair,
      error: inProblems(InvalidCode, "invalid-code")
    })
      .annotate(OpenApi.Summary, "Sign in with the code of a mail")
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("refresh", "/api/v1/auth/refresh", {
      payload: RefreshRequest,
      success: TokenPair,
      error: inProblems(SessionExpired, "session-expired")
    })
      .annotate(OpenApi.Summary, "Replace both tokens of a session")
      .annotateMerge(rateLimit("refresh")),
    HttpApiEndpoint.get("keySet", "/.well-known/jwks.json", { success: JsonWebKeySet })
      .annotate(OpenApi.Summary, "Read the keys that verify access tokens")
      .annotateMerge(rateLimit("public-read"))
  )
  .middleware(ProblemRateLimits)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Sessions",
      description: "Sign in, refresh and log out (spec 3.5, 4.1, 5)"
    })
  ) {}
