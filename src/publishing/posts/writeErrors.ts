import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { SlugTaken } from "../../../schemas/publishing/posts/errors.ts"
import type { PostContent } from "./content.ts"

export type CategoryField = "primaryCategoryId" | "secondaryCategoryId"

/** A constraint of the database that a write violates: a slug in use, or a category that does not exist. */
export type ViolatedConstraint =
  | { readonly _tag: "SlugInUse" }
  | { readonly _tag: "UnknownCategory"; readonly field: CategoryField }

/** Returns true for a violated constraint among other errors. */
export const isViolatedConstraint = (error: { readonly _tag: string }): error is ViolatedConstraint =>
  error._tag === "SlugInUse" || error._tag === "UnknownCategory"

const constraintOf = (error: SqlError.SqlError): ViolatedConstraint | undefined => {
  if (error.reason._tag === "UniqueViolation" && error.reason.constraint === "posts_owner_slug") {
    return { _tag: "SlugInUse" }
  }
  if (error.reason._tag !== "ConstraintError") return undefined
  const constraint = String((error.reason.cause as { readonly constraint?: unknown } | undefined)?.constraint)
  if (constraint === "posts_primary_category_id_fkey")
    return { _tag: "UnknownCategory", field: "primaryCategoryId" }
  if (constraint === "posts_secondary_category_id_fkey")
    return { _tag: "UnknownCategory", field: "secondaryCategoryId" }
  return undefined
}

/** Fails with the constraint that a statement violates; any other failure of the database is a defect. */
export const failOnConstraint = <A>(
  statement: Effect.Effect<A, SqlError.SqlError>
): Effect.Effect<A, ViolatedConstraint> =>
  Effect.catch(
    statement,
    Effect.fnUntraced(function* (error) {
      const constraint = constraintOf(error)
      return yield* constraint === undefined ? Effect.die(error) : Effect.fail(constraint)
    })
  )

/**
 * Fails with the error of the contract for a violated constraint. Names every unknown category, and the slug only when
 * the categories exist, as the contract checks them in this order.
 */
export const explainConstraint = (
  unknownCategories: (content: PostContent) => Effect.Effect<ReadonlyArray<CategoryField>>
) =>
  Effect.fnUntraced(function* (constraint: ViolatedConstraint, content: PostContent) {
    const unknown = yield* unknownCategories(content)
    if (constraint._tag === "SlugInUse" && unknown.length === 0) {
      const message = "Choose another slug: one of your Posts has this one"
      return yield* new SlugTaken({ errors: [{ field: "slug", code: "taken", message }] })
    }
    const fields =
      unknown.length === 0 && constraint._tag === "UnknownCategory" ? [constraint.field] : unknown
    const message = "Choose a category of GET /api/categories"
    return yield* new Validation({
      errors: fields.map((field) => ({ field, code: "invalid", message }))
    })
  })
