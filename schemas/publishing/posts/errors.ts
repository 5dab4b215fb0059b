import { Schema } from "effect"
import { FieldError } from "../../platform/errors/FieldError.ts"
import { ServiceError } from "../../platform/errors/ServiceError.ts"

/** The key was used within 24 hours with another body (spec 4.3.6). */
export class IdempotencyMismatch extends ServiceError<IdempotencyMismatch>()("IdempotencyMismatch") {}

/** The key published or unpublished the Post, and a later request reversed that; `detail` explains it. */
export class IdempotencyKeySpent extends ServiceError<IdempotencyKeySpent>()("IdempotencyKeySpent") {}

/** The creation under this key was completed, and its Post deleted since (spec 4.3.6). */
export class ResourceGone extends ServiceError<ResourceGone>()("ResourceGone") {}

/** `errors` is `[{field: "slug", code: "taken"}]`. */
export class SlugTaken extends ServiceError<SlugTaken>()("SlugTaken") {}

/** A published Post cannot be deleted and keeps its slug (spec 3.1). */
export class PostPublished extends ServiceError<PostPublished>()("PostPublished") {}

/** As many publications of the owner wait as may. */
export class ScheduleLimitReached extends ServiceError<ScheduleLimitReached>()("ScheduleLimitReached") {}

/** A moderator withdrew the Post, which stays a draft until a moderator restores it. */
export class PostWithdrawn extends ServiceError<PostWithdrawn>()("PostWithdrawn") {}

/** A paid purchase keeps a Post from being deleted (spec 3.1). */
export class PostHasPurchases extends ServiceError<PostHasPurchases>()("PostHasPurchases") {}

/** Tips, other payment facts and payment sessions keep a Post from being deleted, even expired or cancelled ones (spec 3.1). */
export class FinancialHistoryRetained extends ServiceError<FinancialHistoryRetained>()(
  "FinancialHistoryRetained"
) {}

/** `errors` names `name`, `handle` or both (spec 3.1). */
export class ProfileIncomplete extends ServiceError<ProfileIncomplete>()("ProfileIncomplete") {}

/** `errors` names everything that this Post lacks to be public. */
export class PublicationIncomplete extends ServiceError<PublicationIncomplete>()("PublicationIncomplete") {}

/**
 * `errors` names each section that the request would rewrite, with code `unsupported_stored_content`. `features` are the
 * codes of their content that Markdown cannot express (spec 4.3.7).
 */
export class ContentNotEditable extends ServiceError<ContentNotEditable>()("ContentNotEditable", {
  features: Schema.Array(Schema.String)
}) {}

/** `errors` is `[{field: "paidContentMarkdown", code: "paid_content_required"}]` (spec 4.3.8). */
export class PaidContentRequired extends ServiceError<PaidContentRequired>()("PaidContentRequired") {}

/** `errors` is `[{field: "enablePaywall", code: "paid_post_required"}]` (spec 4.3.8). */
export class PaidPostRequired extends ServiceError<PaidPostRequired>()("PaidPostRequired") {}

/** The revision is not the `updatedAt` of a Post, or the two headers differ (spec 4.3.9). */
export class MalformedRevision extends ServiceError<MalformedRevision>()("MalformedRevision", {
  errors: Schema.Array(FieldError)
}) {}
