import { Context, Effect, Layer, Option, Result } from "effect"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { NativeDocument } from "../../../schemas/publishing/content/NativeDocument.ts"
import { type SectionReading, SectionReader } from "../../platform/ports/SectionReader.ts"
import { patched } from "./content.ts"
import { NativeContentsRepo } from "./NativeContentsRepo.ts"
import { PostsRepo } from "./PostsRepo.ts"

/** An image that a Post must no longer show. */
export interface RejectedImage {
  readonly ownerId: OwnerId
  readonly postId: PostId
  /** Its address, as the Post has it. */
  readonly url: string
  readonly at: Date
}

/** Takes rejected images out of Posts (specification 3.2, rule 6). */
export class ImageReferences extends Context.Service<
  ImageReferences,
  {
    /**
     * Removes what refers to exactly this URL from both sections of a Post, each in the document that it is kept as, and
     * from `ogImage`, and gives the Post a new revision. False when nothing does, or there is no such Post; nothing is
     * written then.
     *
     * Run it within a transaction: it holds the Post until that ends. Whatever the Post is then, it stays public or a
     * draft: no rule of editing or publishing applies. Its paywall and price end only when nothing is left behind it. May
     * die with `DependencyUnavailable` when too many sections wait to be read.
     */
    readonly remove: (image: RejectedImage) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/posts/ImageReferences") {
  static readonly layer = Layer.effect(
    ImageReferences,
    Effect.gen(function* () {
      const posts = yield* PostsRepo
      const natives = yield* NativeContentsRepo
      const reader = yield* SectionReader

      const markdownSection = Effect.fnUntraced(function* (source: string, url: string) {
        const markdown = yield* reader.withoutUrl(source, url)
        if (markdown === source) return undefined
        return { markdown, reading: yield* reader.read(markdown), native: undefined }
      })

      const nativeSection = Effect.fnUntraced(function* (json: string, source: string | null, url: string) {
        const before = JSON.parse(json) as NativeDocument
        const document = yield* reader.nativeWithoutUrl(before, url)
        const text = JSON.stringify(document)
        if (text === JSON.stringify(before)) return undefined
        const { markdown, unsupportedFeatures, ...reading } = yield* reader.readNative(document)
        // One that could be read before is hardly too complex now; its Markdown loses the URL then, too.
        if (reading.isTooComplex) {
          const left = yield* reader.withoutUrl(source ?? "", url)
          return { markdown: left, reading, native: { json: text, unsupported: undefined } }
        }
        const isEmpty = markdown.trim() === "" && unsupportedFeatures.length === 0
        return {
          markdown,
          reading,
          native: { json: isEmpty ? null : text, unsupported: unsupportedFeatures }
        }
      })

      /** What a section becomes; undefined when it does not change. */
      const sectionOf = Effect.fnUntraced(function* (
        native: string | null,
        markdown: string | null,
        url: string
      ) {
        if (native !== null) return yield* nativeSection(native, markdown, url)
        return markdown === null ? undefined : yield* markdownSection(markdown, url)
      })

      const remove = Effect.fn("ImageReferences.remove")(function* ({
        at,
        ownerId,
        postId,
        url
      }: RejectedImage) {
        const found = yield* posts.lock(ownerId, postId)
        if (Option.isNone(found)) return false
        const row = found.value
        const stored = Option.getOrThrow(yield* natives.find(ownerId, postId))
        const free = yield* sectionOf(stored.free_content_native, stored.free_content_markdown, url)
        const paid = yield* sectionOf(stored.paid_content_native, stored.paid_content_markdown, url)
        const isOgImage = row.og_image === url
        if (free === undefined && paid === undefined && !isOgImage) return false
        const content = Result.getOrThrow(
          patched(
            row,
            {
              ...(free && { freeContentMarkdown: free.markdown }),
              ...(paid && { paidContentMarkdown: paid.markdown }),
              ...(isOgImage && { ogImage: null })
            },
            { free: accepted(free), paid: accepted(paid) }
          )
        )
        const native = {
          ...(free?.native && {
            free_content_native: free.native.json,
            free_unsupported: free.native.unsupported ?? row.free_unsupported
          }),
          ...(paid?.native && {
            paid_content_native: paid.native.json,
            paid_unsupported: paid.native.unsupported ?? row.paid_unsupported
          })
        }
        const change = { id: postId, ownerId, revision: row.updated_at, content, native, at }
        // Neither its slug nor its categories change, and nobody else can change it now.
        const saved = yield* Effect.orDie(posts.update({ ...change, slug: undefined, tried: 0 }))
        Option.getOrThrow(saved)
        return true
      })

      return ImageReferences.of({ remove })
    })
  )
}

/** What is wrong with a section is no reason to leave the image in it. */
const accepted = (section: { readonly reading: SectionReading } | undefined) =>
  section && { ...section.reading, unsupported: [], isTooComplex: false }
