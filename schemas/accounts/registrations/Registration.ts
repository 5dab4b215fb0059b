import { Schema } from "effect"
import { EmailAddress, EmailAddressInput } from "../../platform/EmailAddress.ts"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { isUuid, OwnerId, RegistrationId } from "../../platform/Ids.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { ApiKey } from "../api-keys/ApiKey.ts"
import { EmailCode } from "../email-codes/EmailCode.ts"
import { Handle } from "../profile/Profile.ts"

/** Names one registration: a UUID of the caller's own making, which a repeat sends again (spec 4.1). */
export const RegistrationKey = Schema.String.check(
  isUuid("a UUID, the same for each repeat of one registration")
)

export const RegistrationRequest = Schema.Struct({ email: EmailAddressInput }).annotate({
  identifier: "RegistrationRequest"
})
export type RegistrationRequest = typeof RegistrationRequest.Type

/** Does not reveal whether the address already has an owner; only the mail does. */
export const RegistrationReceipt = Schema.Struct({
  registrationId: RegistrationId,
  status: Schema.Literal("pending"),
  email: EmailAddress,
  /** The expiry of the mailed code. */
  expiresAt: Timestamp,
  /** Seconds until a new registration may send the next mail to this address. */
  resendAfterSeconds: Schema.Int
}).annotate({ identifier: "RegistrationReceipt" })
export type RegistrationReceipt = typeof RegistrationReceipt.Type

export const RegistrationVerification = Schema.Struct({ code: EmailCode }).annotate({
  identifier: "RegistrationVerification"
})

export const RegistrationKeyRequest = Schema.Struct({ handle: Schema.optionalKey(Handle) }).annotate({
  identifier: "RegistrationKeyRequest"
})
export type RegistrationKeyRequest = typeof RegistrationKeyRequest.Type

/** `key` is shown here once and never again (spec 2.2). */
export const RegistrationKeyIssued = Schema.Struct({
  profile: Schema.Struct({ id: OwnerId, name: Schema.String, handle: Schema.String }),
  apiKey: ApiKey,
  key: Schema.String
}).annotate({ identifier: "RegistrationKeyIssued" })
export type RegistrationKeyIssued = typeof RegistrationKeyIssued.Type

export class RegistrationNotVerified extends ServiceError<RegistrationNotVerified>()(
  "RegistrationNotVerified"
) {}
