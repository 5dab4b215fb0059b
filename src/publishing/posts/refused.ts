import { Effect } from "effect"
import { ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import { SlugTaken } from "../../../schemas/publishing/posts/errors.ts"
import type { PostContent } from "./content.ts"
import type { CategoryField, PostRefusal } from "./postRefusal.ts"

/**
 * Says what the database refused of a content in the contract's order: every category that there is not, and only then
 * the slug.
 */
export const refusedBy = (
  unknownCategories: (content: PostContent) => Effect.Effect<ReadonlyArray<CategoryField>>
) =>
  Effect.fnUntraced(function* (refusal: PostRefusal, content: PostContent) {
    const unknown = yield* unknownCategories(content)
    if (refusal._tag === "SlugTaken" && unknown.length === 0) {
      const message = "Another Post of yours has this slug"
      return yield* new SlugTaken({ errors: [{ field: "slug", code: "taken", message }] })
    }
    const fields = unknown.length === 0 && refusal._tag === "NoSuchCategory" ? [refusal.field] : unknown
    const message = "There is no such category"
    return yield* new ValidationProblem({
      errors: fields.map((field) => ({ field, code: "invalid", message }))
    })
  })
