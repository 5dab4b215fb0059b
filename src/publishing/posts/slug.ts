import slugify from "@sindresorhus/slugify"
import { Effect, Result } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { ViolatedConstraint } from "./writeErrors.ts"

/** Room in the 120 characters of a slug for a hyphen, and the number or 12 digits of an id that make it unique. */
const BASE_MAX = 107
/** The slug of a Post without a title. */
const UNTITLED = "post"
/** Digits of the id of a Post in the slug of a title without Latin letters. They are the random ones of the id. */
const ID_DIGITS = 8

/** A slug that the author chose, or the base of one to make unique: `base`, `base-2`, `base-3`, …. */
export type WantedSlug = { readonly chosen: string } | { readonly base: string }

/**
 * Returns the form of a title in a URL: lower-case words, `ä` as `ae` and `ﬁ` as `fi`. A title in a script that has no letters
 * in `[a-z0-9]` becomes `post` with digits of the Post's id, so that all such Posts do not share one name.
 */
export const slugBaseOf = (title: string, id: PostId): string => {
  const words = slugify(title.slice(0, 500).normalize("NFKC"), { decamelize: false })
  const cut = words.slice(0, BASE_MAX).replace(/-+$/, "")
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(cut)) return cut
  return title.trim() === "" ? UNTITLED : `${UNTITLED}-${id.slice(-ID_DIGITS)}`
}

/** Returns true for a base that tells nothing of a title: a title with letters replaces it in a draft. */
export const isWordless = (base: string | null, id: PostId): boolean =>
  base === UNTITLED || base === `${UNTITLED}-${id.slice(-ID_DIGITS)}`

/**
 * Attempts with numbers of one title while other Posts take them. After that the id of the Post makes the slug
 * unique.
 */
const SLUG_TRIES = 10

/** Writes under the wanted slug. A slug from a title moves on to the next number while other Posts take it. */
export const withFreeSlug = Effect.fnUntraced(function* <
  Wanted extends WantedSlug | undefined,
  A,
  E extends { readonly _tag: string } = never
>(
  wanted: Wanted,
  id: PostId,
  write: (slug: Wanted | WantedSlug, tried: number) => Effect.Effect<A, ViolatedConstraint | E>
) {
  if (wanted === undefined || "chosen" in wanted) return yield* write(wanted, 0)
  for (let tried = 0; tried < SLUG_TRIES; tried++) {
    const written = yield* Effect.result(write(wanted, tried))
    if (Result.isSuccess(written)) return written.success
    if (written.failure._tag !== "SlugInUse") return yield* Effect.fail(written.failure)
  }
  return yield* write({ chosen: `${wanted.base}-${id.slice(-12)}` }, SLUG_TRIES)
})
