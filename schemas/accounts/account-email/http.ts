import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Validation } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { InvalidCode } from "../sessions/Session.ts"
import {
  EmailChangeRequest,
  EmailChangeRequested,
  EmailResent,
  EmailStatus,
  EmailTaken,
  EmailVerification,
  EmailVerifyRequest,
  NoPendingEmail
} from "./AccountEmail.ts"

/** The e-mail address of the owner who calls (spec 3.3, 4.1). */
export class AccountEmailApi extends HttpApiGroup.make("accountEmail")
  .add(
    HttpApiEndpoint.get("read", "/", { success: EmailStatus }).annotate(
      OpenApi.Summary,
      "Read the e-mail address and its pending change"
    ),
    HttpApiEndpoint.post("change", "/", {
      payload: EmailChangeRequest,
      success: EmailChangeRequested
    }).annotate(OpenApi.Summary, "Ask to change the e-mail address"),
    HttpApiEndpoint.post("resend", "/resend", {
      success: EmailResent,
      error: inJson(NoPendingEmail, "no_pending_email")
    }).annotate(OpenApi.Summary, "Send a new code for the pending change")
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .add(
    HttpApiEndpoint.post("verify", "/verify", {
      payload: EmailVerifyRequest,
      success: EmailVerification,
      error: [
        inJson(NoPendingEmail, "no_pending_email"),
        inJson(InvalidCode, "invalid_code"),
        inJson(EmailTaken, "email_taken"),
        inJson(Validation, "validation")
      ]
    })
      .annotate(OpenApi.Summary, "Confirm the pending address with the code or link from the mail")
      .annotateMerge(rateLimit("account-code"))
  )
  .prefix("/api/v1/account/email")
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Account e-mail",
      description: "The address of an account and its change (spec 2.5, 3.3, 4.1)"
    })
  ) {}
