import { Effect, Result } from "effect"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { ContentNotEditable, PostPublished } from "../../../schemas/publishing/posts/errors.ts"
import type { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { SectionReader } from "../content/SectionReader.ts"
import { patched, type PostContent, readingsOf } from "./content.ts"
import { lockedSections, rewritten } from "./editability.ts"
import { makeEditPost, type Within } from "./editPost.ts"
import type { PostRow } from "./postRow.ts"
import { isWordless, slugBaseOf, type WantedSlug } from "./slug.ts"

/** Makes the function that changes the members of a Post that a patch names; see `Posts.update`. */
export const makePatchPost = Effect.gen(function* () {
  const edit = yield* makeEditPost
  const reader = yield* SectionReader
  const media = yield* OwnMedia

  return Effect.fn("Posts.update")(function* <E extends { readonly _tag: string } = never>(
    publisher: PublisherAuthority,
    id: PostId,
    patch: PostPatch,
    revision: string | undefined,
    {
      isNamedByTitle = false,
      within
    }: { readonly isNamedByTitle?: boolean | undefined; readonly within?: Within<E> } = {}
  ) {
    const row = yield* edit.begin(publisher, id, revision)
    const locked = lockedSections(row, patch)
    if (locked !== undefined) return yield* new ContentNotEditable(locked)
    const changed = patched(row, patch, yield* readingsOf(reader, publisher.ownerId, patch, row), media)
    if (Result.isFailure(changed)) return yield* new Validation({ errors: changed.failure })
    if (row.status === "published" && patch.slug !== undefined && patch.slug !== row.slug)
      return yield* new PostPublished()
    const content = changed.success
    const native = rewritten(patch)
    return yield* edit.save(
      publisher,
      row,
      newSlug(row, patch, content, isNamedByTitle),
      { content, native },
      within
    )
  })
})

/**
 * Returns the slug that a patch asks for. A draft whose slug tells nothing of a title takes it from the first title with
 * letters. With `isNamedByTitle`, a draft that was never public takes it from each title.
 */
const newSlug = (
  row: PostRow,
  patch: PostPatch,
  content: PostContent,
  isNamedByTitle: boolean
): WantedSlug | undefined => {
  if (patch.slug !== undefined) return patch.slug === row.slug ? undefined : { chosen: patch.slug }
  if (row.status !== "draft") return undefined
  const follows = isNamedByTitle && row.slug_base !== null && !row.was_public
  if (!follows && !isWordless(row.slug_base, row.id)) return undefined
  const base = slugBaseOf(content.title, row.id)
  return base === row.slug_base || isWordless(base, row.id) ? undefined : { base }
}
