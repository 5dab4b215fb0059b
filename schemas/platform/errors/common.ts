import { Schema } from "effect"
import { FieldError } from "./FieldError.ts"
import { ServiceError } from "./ServiceError.ts"

/** The same answer for unknown resources and for those of other owners, so that their existence stays private. */
export class NotFound extends ServiceError<NotFound>()("NotFound") {}

/** The page was that of an account that was deleted a short time ago. */
export class AccountDeleted extends ServiceError<AccountDeleted>()("AccountDeleted") {}

/** The account may not do this. */
export class Forbidden extends ServiceError<Forbidden>()("Forbidden") {}

/** A moderator restricted the account: its sessions and keys can only read. */
export class AccountRestricted extends ServiceError<AccountRestricted>()("AccountRestricted") {}

/** The credential is missing, wrong or expired. */
export class Unauthorized extends ServiceError<Unauthorized>()("Unauthorized") {}

/** `errors` names every offending member, never only the first. */
export class Validation extends ServiceError<Validation>()("Validation", {
  errors: Schema.Array(FieldError)
}) {}

/** Like `Validation`, for operations that answer 400 for wrong members (spec 4.6.5, 4.6.7). */
export class InvalidMembers extends ServiceError<InvalidMembers>()("InvalidMembers", {
  errors: Schema.Array(FieldError)
}) {}

/** The query of a public read has a parameter that the read does not have, such as a filter in another spelling. */
export class UnknownParameter extends ServiceError<UnknownParameter>()("UnknownParameter", {
  errors: Schema.Array(FieldError)
}) {}

/** The Idempotency-Key names a different request (spec 4.1.3). */
export class IdempotencyConflict extends ServiceError<IdempotencyConflict>()("IdempotencyConflict") {}

/** The revision of the request is not the current one (spec 4.3.9). */
export class RevisionConflict extends ServiceError<RevisionConflict>()("RevisionConflict") {
  /** Makes the conflict of a request with a resource that has this revision now. */
  static with(current: string | number): RevisionConflict {
    return new RevisionConflict({
      detail: `The current revision is ${current}: read the resource again, apply the change to it and send this revision.`
    })
  }
}

/** A limit is used up for the seconds of the Retry-After header. */
export class RateLimited extends ServiceError<RateLimited>()("RateLimited", {
  retryAfterSeconds: Schema.Int
}) {}

export class MethodNotAllowed extends ServiceError<MethodNotAllowed>()("MethodNotAllowed") {}

export class MalformedJson extends ServiceError<MalformedJson>()("MalformedJson") {}

/** The request is not valid HTTP. The server answers this error outside the operations. */
export class MalformedRequest extends ServiceError<MalformedRequest>()("MalformedRequest") {}

export class PayloadTooLarge extends ServiceError<PayloadTooLarge>()("PayloadTooLarge") {}

export class UnsupportedMediaType extends ServiceError<UnsupportedMediaType>()("UnsupportedMediaType") {}

/** Something failed in the service; its log has the reason under the request id. */
export class InternalError extends ServiceError<InternalError>()("InternalError") {}

/** A dependency is unavailable; a repeat with the same key or token may succeed. */
export class Unavailable extends ServiceError<Unavailable>()("Unavailable") {}
