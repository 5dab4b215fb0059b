import { Schema } from "effect"
import { EmailAddress, EmailAddressInput } from "../../platform/EmailAddress.ts"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { atMost, Text } from "../../platform/Text.ts"
import { EmailCode } from "../email-codes/EmailCode.ts"
import { TokenPair } from "../sessions/Session.ts"

/** The address of an account, and the one that it may become (spec 2.5). */
export const EmailStatus = Schema.Struct({
  email: Schema.NullOr(EmailAddress),
  emailVerified: Schema.Boolean,
  pendingEmail: Schema.NullOr(EmailAddress),
  status: Schema.Literals(["none", "confirmation_sent"])
}).annotate({ identifier: "EmailStatus" })
export type EmailStatus = typeof EmailStatus.Type

/** Other members are allowed and ignored (spec 4.1). */
export const EmailChangeRequest = Schema.StructWithRest(Schema.Struct({ email: EmailAddressInput }), [
  Schema.Record(Schema.String, Schema.Unknown)
]).annotate({ identifier: "EmailChangeRequest" })

/** `already_pending` for the address that the account has or waits for: no second mail is sent. */
export const EmailChangeRequested = Schema.Struct({
  status: Schema.Literals(["confirmation_sent", "already_pending"]),
  pendingEmail: Schema.NullOr(EmailAddress)
}).annotate({ identifier: "EmailChangeRequested" })
export type EmailChangeRequested = typeof EmailChangeRequested.Type

export const EmailResent = Schema.Struct({
  status: Schema.Literal("resent"),
  pendingEmail: EmailAddress
}).annotate({ identifier: "EmailResent" })
export type EmailResent = typeof EmailResent.Type

/** The code of the mail, or the link of the mail as it is. Exactly one of the two. */
export const EmailVerifyRequest = Schema.Struct({
  code: Schema.optionalKey(EmailCode),
  confirmationUrl: Schema.optionalKey(Text.check(atMost(2048)))
})
  .check(
    Schema.makeFilter(
      (body: { readonly code?: unknown; readonly confirmationUrl?: unknown }) =>
        (body.code === undefined) !== (body.confirmationUrl === undefined),
      {
        expected: "exactly one of code and confirmationUrl",
        fieldCode: "required",
        toJsonSchema: () => ({ minProperties: 1, maxProperties: 1 })
      }
    )
  )
  .annotate({ identifier: "EmailVerifyRequest" })
export type EmailVerifyRequest = typeof EmailVerifyRequest.Type

/** `session` replaces the tokens of a native e-mail session, and of no other (spec 4.1.6). */
export const EmailVerification = Schema.Struct({
  status: Schema.Literal("verified"),
  email: EmailAddress,
  session: Schema.optionalKey(TokenPair)
}).annotate({ identifier: "EmailVerification" })
export type EmailVerification = typeof EmailVerification.Type

/** The account has no address that waits for its confirmation (spec 3.3). */
export class NoPendingEmail extends ServiceError<NoPendingEmail>()("NoPendingEmail") {}

/** Another account or registration confirmed the address first. Only a reader of its mail learns this. */
export class EmailTaken extends ServiceError<EmailTaken>()("EmailTaken") {}
