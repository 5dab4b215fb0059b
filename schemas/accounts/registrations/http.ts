import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ForbiddenProblem, IdempotencyConflict, NotFoundProblem } from "../../platform/errors/common.ts"
import { ProblemFamily, ValidationProblem } from "../../platform/errors/families.ts"
import { RegistrationId } from "../../platform/Ids.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { KeyAlreadyIssued, KeyLimitReached } from "../api-keys/ApiKey.ts"
import { HandleTaken } from "../profile/Profile.ts"
import { InvalidCode, TokenPair } from "../sessions/Session.ts"
import {
  EmailTakenProblem,
  RegistrationKey,
  RegistrationKeyIssued,
  RegistrationKeyRequest,
  RegistrationNotVerified,
  RegistrationReceipt,
  RegistrationRequest,
  RegistrationVerification
} from "./Registration.ts"

const params = { registrationId: RegistrationId }

/** A new account by e-mail (spec 3.4, 4.1). */
export class RegistrationsApi extends HttpApiGroup.make("registrations")
  .add(
    HttpApiEndpoint.post("issueKey", "/:registrationId/api-key", {
      params,
      payload: RegistrationKeyRequest,
      success: RegistrationKeyIssued.pipe(HttpApiSchema.status(201)),
      error: [
        RegistrationNotVerified,
        KeyAlreadyIssued,
        KeyLimitReached,
        HandleTaken,
        ForbiddenProblem,
        NotFoundProblem,
        ValidationProblem
      ]
    }).annotate(OpenApi.Summary, "Issue the one Publishing key of a registration")
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(ProblemRateLimits)
  .middleware(OwnerSessionProblem)
  .add(
    HttpApiEndpoint.post("register", "/", {
      headers: { "idempotency-key": RegistrationKey },
      payload: RegistrationRequest,
      success: RegistrationReceipt.pipe(HttpApiSchema.status(202)),
      error: IdempotencyConflict
    })
      .annotate(OpenApi.Summary, "Register an e-mail address")
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("verify", "/:registrationId/verify", {
      params,
      payload: RegistrationVerification,
      success: TokenPair,
      error: [InvalidCode, EmailTakenProblem]
    })
      .annotate(OpenApi.Summary, "Make the account with the code of the mail")
      .annotateMerge(rateLimit("sign-in"))
  )
  .prefix("/api/v1/registrations")
  .middleware(ProblemRateLimits)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Registrations",
      description: "A new account by e-mail (spec 3.4, 4.1)"
    })
  ) {}
