import { Schema } from "effect"
import { FieldError } from "../../platform/errors/FieldError.ts"
import { JsonError } from "../../platform/errors/JsonError.ts"
import { Problem } from "../../platform/errors/Problem.ts"

/** The key was used within 24 hours with another body (spec 4.3.6). */
export class IdempotencyMismatch extends Problem<IdempotencyMismatch>()(
  "IdempotencyMismatch",
  "idempotency-mismatch"
) {}

/** The key published or unpublished the Post, and a later request reversed that; `detail` explains it. */
export class IdempotencyKeySpent extends Problem<IdempotencyKeySpent>()(
  "IdempotencyKeySpent",
  "idempotency-key-spent"
) {}

/** The creation under this key was completed, and its Post deleted since (spec 4.3.6). */
export class ResourceGone extends Problem<ResourceGone>()("ResourceGone", "resource-gone") {}

/** `errors` is `[{field: "slug", code: "taken"}]`. */
export class SlugTaken extends Problem<SlugTaken>()("SlugTaken", "slug-taken") {}

/** A published Post cannot be deleted and keeps its slug (spec 3.1). */
export class PostPublished extends Problem<PostPublished>()("PostPublished", "post-published") {}

/** A paid purchase keeps a Post from being deleted (spec 3.1). */
export class PostHasPurchases extends Problem<PostHasPurchases>()("PostHasPurchases", "post-has-purchases") {}

/** Tips, other payment facts and payment sessions keep a Post from being deleted, even expired or cancelled ones (spec 3.1). */
export class FinancialHistoryRetained extends Problem<FinancialHistoryRetained>()(
  "FinancialHistoryRetained",
  "financial-history-retained"
) {}

/** `errors` names `name`, `handle` or both (spec 3.1). */
export class ProfileIncomplete extends Problem<ProfileIncomplete>()(
  "ProfileIncomplete",
  "profile-incomplete"
) {}

/** `errors` names everything that this Post lacks to be public. */
export class PublicationIncomplete extends Problem<PublicationIncomplete>()(
  "PublicationIncomplete",
  "publication-incomplete"
) {}

/**
 * `errors` names each section that the request would rewrite, with code `unsupported_stored_content`. `features` are the
 * codes of their content that Markdown cannot express (spec 4.3.7).
 */
export class ContentNotEditable extends Problem<ContentNotEditable>()(
  "ContentNotEditable",
  "content-not-editable",
  { features: Schema.Array(Schema.String) }
) {}

/** `errors` is `[{field: "paidContentMarkdown", code: "paid_content_required"}]` (spec 4.3.8). */
export class PaidContentRequired extends Problem<PaidContentRequired>()(
  "PaidContentRequired",
  "paid-content-required"
) {}

/** `errors` is `[{field: "enablePaywall", code: "paid_post_required"}]` (spec 4.3.8). */
export class PaidPostRequired extends Problem<PaidPostRequired>()("PaidPostRequired", "paid-post-required") {}

/** Belongs to the ordinary JSON family (spec 4.3.9). */
export class MalformedRevision extends JsonError<MalformedRevision>()(
  "MalformedRevision",
  {
    code: "malformed_revision",
    status: 422,
    message: "The revision is not the updatedAt of a Post, or X-Post-Revision and If-Match differ"
  },
  { errors: Schema.Array(FieldError) }
) {}
