import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Validation } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { STRANGERS_MAIL_LIMITS } from "../email-codes/EmailCode.ts"
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
    HttpApiEndpoint.get("read", "/", { success: EmailStatus }).annotateMerge(
      OpenApi.annotations({
        summary: "Read the e-mail address and its pending change",
        description: "Returns the account's address and the address that is waiting for confirmation."
      })
    ),
    HttpApiEndpoint.post("change", "/", {
      payload: EmailChangeRequest,
      success: EmailChangeRequested
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Ask to change the e-mail address",
        description: `Sends a code and a link to a new address, which replaces a pending one. The account keeps its address until the code or the link is confirmed. Sending the account's own address withdraws a pending change. ${STRANGERS_MAIL_LIMITS}`
      })
    ),
    HttpApiEndpoint.post("resend", "/resend", {
      success: EmailResent,
      error: inJson(NoPendingEmail, "no_pending_email")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Send a new code for the pending change",
        description: `Sends a new code and link for the pending change. ${STRANGERS_MAIL_LIMITS}`
      })
    )
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
      .annotateMerge(
        OpenApi.annotations({
          summary: "Confirm the pending address with the code or link from the mail",
          description:
            "Confirms the pending address with the code or the link from the mail. A repeat with the same proof gets the same answer."
        })
      )
      .annotateMerge(rateLimit("account-code"))
  )
  .prefix("/api/v1/account/email")
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Account e-mail",
      description: "The address of an account and its change"
    })
  ) {}
