import { Effect } from "effect"
import type { SqlError } from "effect/sql"

export type CategoryField = "primaryCategoryId" | "secondaryCategoryId"

/** What the database refuses of a write: another Post has the slug, or there is no such category. */
export type PostRefusal =
  | { readonly _tag: "SlugTaken" }
  | { readonly _tag: "NoSuchCategory"; readonly field: CategoryField }

const refusalOf = (error: SqlError.SqlError): PostRefusal | undefined => {
  if (error.reason._tag === "UniqueViolation" && error.reason.constraint === "posts_owner_slug") {
    return { _tag: "SlugTaken" }
  }
  if (error.reason._tag !== "ConstraintError") return undefined
  const constraint = String((error.reason.cause as { readonly constraint?: unknown } | undefined)?.constraint)
  if (constraint === "posts_primary_category_id_fkey")
    return { _tag: "NoSuchCategory", field: "primaryCategoryId" }
  if (constraint === "posts_secondary_category_id_fkey")
    return { _tag: "NoSuchCategory", field: "secondaryCategoryId" }
  return undefined
}

/** Fails with what the database refuses; any other failure of it is a defect. */
export const refusing = <A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, PostRefusal> =>
  Effect.catch(
    statement,
    Effect.fnUntraced(function* (error) {
      const refusal = refusalOf(error)
      return yield* refusal === undefined ? Effect.die(error) : Effect.fail(refusal)
    })
  )
