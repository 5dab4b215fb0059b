import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Unauthorized, Validation } from "../../platform/errors/common.ts"
import { JsonFamily } from "../../platform/errors/families.ts"
import { inJson } from "../../platform/errors/inJson.ts"
import { JsonRateLimits, rateLimit } from "../../platform/rate-limits/middleware.ts"
import { OwnerSession } from "../../platform/security/middleware.ts"
import { AllowedWhileRestricted } from "../../platform/security/restriction.ts"
import { CODE_MAIL_LIMITS } from "../email-codes/EmailCode.ts"
import { WalletChallenge } from "../sessions/Session.ts"
import {
  AccountKept,
  AlreadyClosing,
  Deletion,
  DeletionCodeSent,
  DeletionDue,
  DeletionRequest,
  InvalidConfirmation,
  KEPT_DAYS
} from "./Deletion.ts"

/** The deletion of the account of the owner who calls. A restricted account may use all of it. */
export class AccountDeletionApi extends HttpApiGroup.make("accountDeletion")
  .add(
    HttpApiEndpoint.get("read", "/", { success: Deletion }).annotateMerge(
      OpenApi.annotations({
        summary: "Read what a deletion of the account would do",
        description:
          "Returns the state of the account, the numbers that its deletion concerns, and how its owner confirms it."
      })
    ),
    HttpApiEndpoint.post("challenge", "/challenge", {
      success: [
        WalletChallenge.pipe(HttpApiSchema.status(201)),
        DeletionCodeSent.pipe(HttpApiSchema.status(202))
      ],
      error: inJson(AlreadyClosing, "already_closing")
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Ask for what confirms a deletion",
        description: `Returns a text for the wallet that the account was created with. An account that was created by e-mail gets a code by mail instead. ${CODE_MAIL_LIMITS}`
      })
    ),
    HttpApiEndpoint.delete("keep", "/", {
      success: AccountKept,
      error: [inJson(DeletionDue, "deletion_due"), inJson(Unauthorized, "unauthorized")]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Keep an account that is closing",
        description: `Takes a deletion back, until its \`dueAt\`. It needs a session that began after the deletion. What the deletion hid returns, but keys and sessions do not. An account that is not closing stays as it is.`
      })
    )
  )
  .annotateEndpointsMerge(rateLimit("account"))
  .add(
    HttpApiEndpoint.post("request", "/", {
      payload: DeletionRequest,
      success: Deletion,
      error: [
        inJson(InvalidConfirmation, "invalid_confirmation"),
        inJson(AlreadyClosing, "already_closing"),
        inJson(Validation, "validation")
      ]
    })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Delete the account",
          description: `Closes the account: it is off the site at once, and its sessions and Publishing keys end. ${KEPT_DAYS} days later it is erased. Until then its owner may sign in and keep it. Buyers keep what they bought. Send the handle, with \`code\`, or with \`challengeId\` and \`signature\`.`
        })
      )
      .annotateMerge(rateLimit("account-code"))
  )
  .annotateEndpoints(AllowedWhileRestricted, true)
  .prefix("/api/v1/account/deletion")
  .middleware(JsonRateLimits)
  .middleware(OwnerSession)
  .middleware(JsonFamily)
  .annotateMerge(
    OpenApi.annotations({
      title: "Account deletion",
      description: "How an account is closed, kept and erased"
    })
  ) {}
