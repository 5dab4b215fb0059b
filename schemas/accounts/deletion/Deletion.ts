import { Schema } from "effect"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { ChallengeId } from "../../platform/Ids.ts"
import { NanoSignature, RawDigits, SignatureFormat } from "../../platform/Nano.ts"
import { atMost, Text } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { EmailCode } from "../email-codes/EmailCode.ts"

/** Days for which a closing account can be kept. */
export const KEPT_DAYS = 14

const Count = Schema.Natural

/** The numbers of an account that its deletion concerns. */
export const DeletionCounts = Schema.Struct({
  /** Posts, drafts included. */
  posts: Count,
  /** Accounts and wallets that bought a Post of this author. They keep what they bought. */
  buyers: Count,
  /** The sum of all sales and tips that the author received. */
  salesRaw: RawDigits,
  /** Money that the service still owes to the author. Nothing is paid once the account is deleted. */
  obligationsRaw: RawDigits,
  /** Posts that the account bought itself. */
  purchases: Count,
  comments: Count,
  followers: Count
}).annotate({ identifier: "DeletionCounts" })
export type DeletionCounts = typeof DeletionCounts.Type

/** The state of an account that may be closing, the time at which it is erased, and the way in which its owner confirms that. */
export const Deletion = Schema.Struct({
  state: Schema.Literals(["none", "closing"]),
  requestedAt: Schema.NullOr(Timestamp),
  /** From then on the account is erased, and can no longer be kept. */
  dueAt: Schema.NullOr(Timestamp),
  consequences: DeletionCounts,
  /** The signature of the wallet that the account was created with, or the code of a mail. */
  confirm: Schema.Tuple([Schema.Literals(["signature", "code"])])
}).annotate({ identifier: "Deletion" })
export type Deletion = typeof Deletion.Type

/** A code is on its way to the address of the account. */
export const DeletionCodeSent = Schema.Struct({ message: Schema.String, expiresAt: Timestamp }).annotate({
  identifier: "DeletionCodeSent"
})
export type DeletionCodeSent = typeof DeletionCodeSent.Type

/** The handle, typed again, with the signature of the challenge or the code of the mail. */
export const DeletionRequest = Schema.Struct({
  handle: Text.check(atMost(31)),
  challengeId: Schema.optionalKey(ChallengeId),
  signature: Schema.optionalKey(NanoSignature),
  signatureFormat: Schema.optionalKey(SignatureFormat),
  code: Schema.optionalKey(EmailCode)
}).annotate({ identifier: "DeletionRequest" })
export type DeletionRequest = typeof DeletionRequest.Type

/** The deletion was taken back. */
export const AccountKept = Schema.Struct({ state: Schema.Literal("none") }).annotate({
  identifier: "AccountKept"
})
export type AccountKept = typeof AccountKept.Type

/** The signature, the code or the handle is not that of the account. All of them get the same answer. */
export class InvalidConfirmation extends ServiceError<InvalidConfirmation>()("InvalidConfirmation") {}

/** The account is closing already. */
export class AlreadyClosing extends ServiceError<AlreadyClosing>()("AlreadyClosing") {}

/** The account can no longer be kept: its time is over. */
export class DeletionDue extends ServiceError<DeletionDue>()("DeletionDue") {}
