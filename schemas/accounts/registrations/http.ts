import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AccountRestricted,
  Forbidden,
  IdempotencyConflict,
  NotFound,
  Validation
} from "../../platform/errors/common.ts"
import { ProblemFamily } from "../../platform/errors/families.ts"
import { inProblems } from "../../platform/errors/inProblems.ts"
import { RegistrationId } from "../../platform/Ids.ts"
import { ProblemRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSessionProblem } from "../../platform/security/middleware.ts"
import { EmailTaken } from "../account-email/AccountEmail.ts"
import { KeyAlreadyIssued, KeyLimitReached } from "../api-keys/ApiKey.ts"
import { STRANGERS_MAIL_LIMITS } from "../email-codes/EmailCode.ts"
import { HandleTaken } from "../profile/Profile.ts"
import { InvalidCode, RegistrationClosed, TokenPair } from "../sessions/Session.ts"
import {
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
        inProblems(AccountRestricted, "account-restricted"),
        inProblems(RegistrationNotVerified, "registration-not-verified"),
        inProblems(KeyAlreadyIssued, "key-already-issued"),
        inProblems(KeyLimitReached, "key-limit-reached"),
        inProblems(HandleTaken, "handle-taken"),
        inProblems(Forbidden, "forbidden"),
        inProblems(NotFound, "not-found"),
        inProblems(Validation, "validation")
      ]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Issue the one Publishing key of a registration",
        description:
          "Issues the one Publishing key of a registration, and sets the handle if the request names one. The answer shows the secret once."
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .middleware(ProblemRateLimits)
  .middleware(OwnerSessionProblem)
  .add(
    HttpApiEndpoint.post("register", "/", {
      headers: { "idempotency-key": RegistrationKey },
      payload: RegistrationRequest,
      success: RegistrationReceipt.pipe(HttpApiSchema.status(202)),
      error: [
        inProblems(RegistrationClosed, "registration-closed"),
        inProblems(IdempotencyConflict, "idempotency-conflict")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Register an e-mail address",
          description: `Starts an account for an e-mail address and sends a code. Repeat it with the same Idempotency-Key to get the same receipt. A site that takes no new accounts answers 403 for every address. ${STRANGERS_MAIL_LIMITS}`
        })
      )
      .annotateMerge(rateLimit("sign-in")),
    HttpApiEndpoint.post("verify", "/:registrationId/verify", {
      params,
      payload: RegistrationVerification,
      success: TokenPair,
      error: [
        inProblems(RegistrationClosed, "registration-closed"),
        inProblems(InvalidCode, "invalid-code"),
        inProblems(EmailTaken, "email-taken")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Create the account with the code from the mail",
          description: "Confirms the code of the mail, creates the account and returns its first token pair."
        })
      )
      .annotateMerge(rateLimit("sign-in"))
  )
  .prefix("/api/v1/registrations")
  .middleware(ProblemRateLimits)
  .middleware(ProblemFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Registrations",
      description: "A new account by e-mail"
    })
  ) {}
