import { Schema } from "effect"
import { FieldError } from "../../platform/errors/FieldError.ts"
import { JsonError } from "../../platform/errors/JsonError.ts"
import { Problem } from "../../platform/errors/Problem.ts"

/** The key was used within 24 hours for a body that differs from this one (specification 4.3.6). */
export class IdempotencyMismatch extends Problem<IdempotencyMismatch>()(
  "IdempotencyMismatch",
  "idempotency-mismatch"
) {}

/** The key made the Post public or a draft, and the Post was changed back since; `detail` says so. */
export class IdempotencyKeySpent extends Problem<IdempotencyKeySpent>()(
  "IdempotencyKeySpent",
  "idempotency-key-spent"
) {}

/** The creation that the key names was completed, and its Post deleted since (specification 4.3.6). */
export class ResourceGone extends Problem<ResourceGone>()("ResourceGone", "resource-gone") {}

/** `errors` is `[{field: "slug", code: "taken"}]`. */
export class SlugTaken extends Problem<SlugTaken>()("SlugTaken", "slug-taken") {}

/** A published Post is not deleted and keeps its slug (specification 3.1). */
export class PostPublished extends Problem<PostPublished>()("PostPublished", "post-published") {}

/** A paid purchase keeps a Post from being deleted (specification 3.1). */
export class PostHasPurchases extends Problem<PostHasPurchases>()("PostHasPurchases", "post-has-purchases") {}

/** So do tips, other payment facts and payment sessions, even expired or cancelled ones (specification 3.1). */
export class FinancialHistoryRetained extends Problem<FinancialHistoryRetained>()(
  "FinancialHistoryRetained",
  "financial-history-retained"
) {}

/** `errors` names `name`, `handle` or both (specification 3.1). */
export class ProfileIncomplete extends Problem<ProfileIncomplete>()(
  "ProfileIncomplete",
  "profile-incomplete"
) {}

/** `errors` names every thing that a public Post needs and this one lacks. */
export class PublicationIncomplete extends Problem<PublicationIncomplete>()(
  "PublicationIncomplete",
  "publication-incomplete"
) {}

/**
 * `errors` names each section that was to be rewritten, with code `unsupported_stored_content`; `features` are the codes of
 * what Markdown cannot say of them (specification 4.3.7).
 */
export class ContentNotEditable extends Problem<ContentNotEditable>()(
  "ContentNotEditable",
  "content-not-editable",
  { features: Schema.Array(Schema.String) }
) {}

/** `errors` is `[{field: "paidContentMarkdown", code: "paid_content_required"}]` (specification 4.3.8). */
export class PaidContentRequired extends Problem<PaidContentRequired>()(
  "PaidContentRequired",
  "paid-content-required"
) {}

/** `errors` is `[{field: "enablePaywall", code: "paid_post_required"}]` (specification 4.3.8). */
export class PaidPostRequired extends Problem<PaidPostRequired>()("PaidPostRequired", "paid-post-required") {}

/** In the ordinary JSON family, as specification 4.3.9 says. */
export class MalformedRevision extends JsonError<MalformedRevision>()(
  "MalformedRevision",
  {
    code: "malformed_revision",
    status: 422,
    message: "The revision is not the updatedAt of a Post, or X-Post-Revision and If-Match differ"
  },
  { errors: Schema.Array(FieldError) }
) {}
