import { Context, Effect, Layer, Option } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { leadingTo } from "../content/removal/leadingTo.ts"
import { SectionReader } from "../content/SectionReader.ts"
import { type SectionWithoutImage, withoutImage } from "./content.ts"
import type { NativeSection } from "./editability.ts"
import { postStatements } from "./posts.sql.ts"
import { makeRecordUpdate } from "./recordUpdate.ts"
import { updatePost } from "./updatePost.sql.ts"
import { makeUpdatingReaders } from "./updatingReaders.ts"

/** An image that a Post must no longer show. */
export interface RejectedImage {
  readonly ownerId: OwnerId
  readonly postId: PostId
  /** The URL of the image, as the Post has it. */
  readonly url: string
  readonly at: Date
}

/** A section without the references to an image; `native` when the section is a native document. */
interface ChangedSection extends SectionWithoutImage {
  readonly native: NativeSection | undefined
}

/** Removes rejected images from Posts (spec 3.2.6). */
export class ImageReferences extends Context.Service<
  ImageReferences,
  {
    /**
     * Removes every reference to this URL, and to smaller copies of the image, from both sections of a Post and from `ogImage`, and gives the Post a
     * new revision. Each section keeps its form, native or Markdown. Returns false without a change when the Post does
     * not exist or does not refer to the URL.
     *
     * Runs inside the transaction of the caller and locks the Post until it ends. No rule of editing or publishing
     * applies: a public Post stays public, and the paywall and the price stay even over an empty paid section. May die
     * with `DependencyUnavailable` when too many sections wait for a reader.
     */
    readonly remove: (image: RejectedImage) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/posts/ImageReferences") {
  static readonly layer = Layer.effect(
    ImageReferences,
    Effect.gen(function* () {
      const posts = yield* postStatements
      const update = yield* updatePost
      const reader = yield* SectionReader
      const { hosts } = yield* OwnMedia
      const updatingReaders = yield* makeUpdatingReaders
      const recordUpdate = yield* makeRecordUpdate

      const markdownSection = Effect.fnUntraced(function* (
        source: string,
        { ownerId, url }: RejectedImage
      ): Effect.fn.Return<ChangedSection | undefined> {
        const markdown = yield* reader.withoutUrls(ownerId, source, [url])
        if (markdown === source) return undefined
        return { markdown, reading: yield* reader.read(ownerId, markdown), native: undefined }
      })

      const nativeSection = Effect.fnUntraced(function* (
        json: string,
        { markdown: source, unsupported }: StoredSection,
        { ownerId, url }: RejectedImage
      ): Effect.fn.Return<ChangedSection | undefined> {
        const before = JSON.parse(json) as NativeDocument
        const document = yield* reader.nativeWithoutUrl(ownerId, before, url)
        const text = JSON.stringify(document)
        if (text === JSON.stringify(before)) return undefined
        const { markdown, unsupportedFeatures, ...reading } = yield* reader.readNative(ownerId, document)
        if (reading.isTooComplex) {
          // Its Markdown loses the URL as text.
          const left = yield* reader.withoutUrls(ownerId, source ?? "", [url])
          return { markdown: left, reading, native: { json: text, unsupported } }
        }
        const isEmpty = markdown.trim() === "" && unsupportedFeatures.length === 0
        const native = { json: isEmpty ? null : text, unsupported: unsupportedFeatures }
        return { markdown, reading, native }
      })

      /** Returns the section without the URL, or undefined when it does not change. */
      const changedSection = (stored: StoredSection, image: RejectedImage) => {
        if (stored.native !== null) return nativeSection(stored.native, stored, image)
        return stored.markdown === null ? Effect.undefined : markdownSection(stored.markdown, image)
      }

      const remove = Effect.fn("ImageReferences.remove")(function* (image: RejectedImage) {
        const { at, ownerId, postId, url } = image
        const found = yield* posts.lock(ownerId, postId)
        if (Option.isNone(found)) return false
        const row = found.value
        const stored = Option.getOrThrow(yield* posts.sections(ownerId, postId))
        const free = yield* changedSection(
          {
            native: stored.free_content_native,
            markdown: stored.free_content_markdown,
            unsupported: row.free_unsupported
          },
          image
        )
        const paid = yield* changedSection(
          {
            native: stored.paid_content_native,
            markdown: stored.paid_content_markdown,
            unsupported: row.paid_unsupported
          },
          image
        )
        const isLost = leadingTo([url], hosts)
        const isOg = row.og_image !== null && isLost(row.og_image)
        if (free === undefined && paid === undefined && !isOg) return false
        const content = withoutImage(row, isLost, { free, paid })
        const native = { free: free?.native, paid: paid?.native }
        const change = { id: postId, ownerId, revision: row.updated_at, content, native, at }
        // The slug and the categories stay, and the lock holds off other changes. The next read makes the HTML.
        const saved = yield* updatingReaders(postId)(
          Effect.orDie(update({ ...change, html: undefined, slug: undefined, tried: 0 }))
        )
        Option.getOrThrow(saved)
        const members = [
          free !== undefined && "freeContentMarkdown",
          paid !== undefined && "paidContentMarkdown",
          isOg && "ogImage"
        ]
        yield* recordUpdate(
          postId,
          members.filter((member) => member !== false),
          at
        )
        return true
      })

      return ImageReferences.of({ remove })
    })
  )
}

/** A section as it is stored: its native document as JSON, or its Markdown. */
interface StoredSection {
  readonly native: string | null
  readonly markdown: string | null
  readonly unsupported: ReadonlyArray<string>
}
