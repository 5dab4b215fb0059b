import slugify from "@sindresorhus/slugify"
import { Effect, Result } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { ViolatedConstraint } from "./writeErrors.ts"

/** Room in the 120 characters of a slug for a hyphen, and the number or 12 digits of an id that make it unique. */
const BASE_MAX = 107
/** The slug of a title without a letter or digit. */
export const SLUG_FALLBACK = "post"

/** A slug that the author chose, or the base of one to make unique: `base`, `base-2`, `base-3`, …. */
export type WantedSlug = { readonly chosen: string } | { readonly base: string }

/** Returns the form of a title in a URL. */
export const slugBaseOfTitle = (title: string): string => {
  const cut = slugify(title.slice(0, 500)).slice(0, BASE_MAX).replace(/-+$/, "")
  return /^[a-z0-9]+(-[a-z0-9]+)*$/.test(cut) ? cut : SLUG_FALLBACK
}

/**
 * Attempts with numbers of one title while other Posts take them. After that the id of the Post makes the slug
 * unique.
 */
const SLUG_TRIES = 10

/** Writes under the wanted slug. A slug from a title moves on to the next number while other Posts take it. */
export const withFreeSlug = Effect.fnUntraced(function* <Wanted extends WantedSlug | undefined, A>(
  wanted: Wanted,
  id: PostId,
  write: (slug: Wanted | WantedSlug, tried: number) => Effect.Effect<A, ViolatedConstraint>
) {
  if (wanted === undefined || "chosen" in wanted) return yield* write(wanted, 0)
  for (let tried = 0; tried < SLUG_TRIES; tried++) {
    const written = yield* Effect.result(write(wanted, tried))
    if (Result.isSuccess(written)) return written.success
    if (written.failure._tag !== "SlugInUse") return yield* Effect.fail(written.failure)
  }
  return yield* write({ chosen: `${wanted.base}-${id.slice(-12)}` }, SLUG_TRIES)
})
