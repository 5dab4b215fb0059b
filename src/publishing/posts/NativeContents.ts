import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { atMost } from "../../../schemas/platform/Text.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { NATIVE_BYTES_MAX, NativeDocument } from "../../../schemas/publishing/posts/NativeDocument.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { SECTION_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { emptyReading, type NativeReading } from "../content/reading/sectionReading.ts"
import { SectionReader } from "../content/SectionReader.ts"
import { patched } from "./content.ts"
import { type EditRefusal, makeEditPost, type Within } from "./editPost.ts"
import { postStatements } from "./posts.sql.ts"

/** The sections of a Post as documents; null when empty. */
export interface NativeContent {
  /** The `updatedAt` of the Post at this content. */
  readonly revision: Timestamp
  readonly free: NativeDocument | null
  readonly paid: NativeDocument | null
}

/** New documents for sections. An absent section stays unchanged, and null empties it. */
export interface NativePatch {
  readonly free?: NativeDocument | null
  readonly paid?: NativeDocument | null
}

/**
 * Sections of Posts as other services and rich editors write them: documents that may hold content without a form in
 * Markdown (spec 4.3.7). Readers of Markdown get the part that Markdown can express, and cannot rewrite such a section.
 */
export class NativeContents extends Context.Service<
  NativeContents,
  {
    /** Returns the documents of a Post; a section that is Markdown is converted. */
    readonly read: (publisher: PublisherAuthority, id: PostId) => Effect.Effect<NativeContent, NotFound>
    /**
     * Writes documents in place of sections of any form, when the Post has `revision` or the call requires none. They are
     * kept byte for byte as `JSON.stringify` writes them. Errors name `free` or `paid`: `invalid` for a value that is not
     * a document of bounded depth and size, `too_complex` for one that nests too deeply for Markdown, `too_long` for one
     * of more than 200,000 characters as Markdown. A public Post stays complete, as with any edit.
     */
    readonly write: (
      publisher: PublisherAuthority,
      id: PostId,
      patch: NativePatch,
      revision?: string
    ) => Effect.Effect<Post, NotFound | EditRefusal>
  }
>()("pennypress/publishing/posts/NativeContents") {
  static readonly layer = Layer.effect(
    NativeContents,
    Effect.gen(function* () {
      const posts = yield* postStatements
      const reader = yield* SectionReader
      const media = yield* OwnMedia

      const documentOf = (owner: OwnerId, native: string | null, markdown: string | null) => {
        if (native !== null) return Effect.succeed(JSON.parse(media.textOf(native)) as NativeDocument)
        return markdown === null ? Effect.succeed(null) : reader.nativeOf(owner, media.textOf(markdown))
      }

      const read = Effect.fn("NativeContents.read")(function* (publisher: PublisherAuthority, id: PostId) {
        const found = yield* posts.sections(publisher.ownerId, id)
        if (Option.isNone(found)) return yield* new NotFound()
        const row = found.value
        return {
          revision: row.updated_at,
          free: yield* documentOf(publisher.ownerId, row.free_content_native, row.free_content_markdown),
          paid: yield* documentOf(publisher.ownerId, row.paid_content_native, row.paid_content_markdown)
        }
      })

      const write = yield* makeWriteNative

      return NativeContents.of({
        read,
        write: (publisher, id, patch, revision) => write(publisher, id, patch, revision)
      })
    })
  )
}

/** Makes the function that writes documents in place of sections; see `NativeContents.write`. */
export const makeWriteNative = Effect.gen(function* () {
  const edit = yield* makeEditPost
  const reader = yield* SectionReader
  const media = yield* OwnMedia

  return Effect.fn("NativeContents.write")(function* <E extends { readonly _tag: string } = never>(
    publisher: PublisherAuthority,
    id: PostId,
    patch: NativePatch,
    revision?: string,
    within?: Within<E>
  ) {
    const free = yield* sectionOf(reader, publisher.ownerId, patch.free)
    const paid = yield* sectionOf(reader, publisher.ownerId, patch.paid)
    const errors = [...errorsOf("free", free), ...errorsOf("paid", paid)]
    if (errors.length > 0) return yield* new Validation({ errors })
    const row = yield* edit.begin(publisher, id, revision)
    const markdown = {
      ...(free === undefined ? {} : { freeContentMarkdown: free.reading.markdown }),
      ...(paid === undefined ? {} : { paidContentMarkdown: paid.reading.markdown })
    }
    const isPaidNative = (paid?.reading.unsupportedFeatures ?? row.paid_unsupported).length > 0
    const readings = { free: accepted(free), paid: accepted(paid), isPaidNative }
    const content = patched(row, markdown, readings, media)
    if (Result.isFailure(content)) return yield* new Validation({ errors: content.failure })
    const native = { free: nativeOf(free), paid: nativeOf(paid) }
    return yield* edit.save(publisher, row, undefined, { content: content.success, native }, within)
  })
})

/** A section to write: the form in which it is kept, and its reading. */
interface WrittenSection {
  readonly isDocument: boolean
  readonly json: string | null
  readonly reading: NativeReading
}

const emptySection: NativeReading = { ...emptyReading, markdown: "", unsupportedFeatures: [] }

const isDocument = Schema.is(NativeDocument)
const isTooLarge = (json: string) =>
  json.length > NATIVE_BYTES_MAX || new TextEncoder().encode(json).length > NATIVE_BYTES_MAX
const isSection = Schema.is(Schema.String.check(atMost(SECTION_CHARACTERS_MAX)))

const sectionOf = Effect.fnUntraced(function* (
  reader: SectionReader["Service"],
  owner: OwnerId,
  document: NativeDocument | null | undefined
): Effect.fn.Return<WrittenSection | undefined> {
  if (document === undefined) return undefined
  if (document === null) return { isDocument: true, json: null, reading: emptySection }
  const json = isDocument(document) ? JSON.stringify(document) : undefined
  if (json === undefined || isTooLarge(json)) return { isDocument: false, json: null, reading: emptySection }
  const reading = yield* reader.readNative(owner, document)
  const isEmpty = reading.markdown.trim() === "" && reading.unsupportedFeatures.length === 0
  return { isDocument: true, json: isEmpty ? null : json, reading }
})

/** Returns the reading without its errors: native content may hold more than Markdown. */
const accepted = (section: WrittenSection | undefined) => section && { ...section.reading, unsupported: [] }

const nativeOf = (section: WrittenSection | undefined) =>
  section && { json: section.json, unsupported: section.reading.unsupportedFeatures }

const errorsOf = (field: string, section: WrittenSection | undefined): ReadonlyArray<FieldError> => {
  if (section === undefined) return []
  if (!section.isDocument) {
    return [{ field, code: "invalid", message: "Send a ProseMirror document of bounded depth and size" }]
  }
  const { isTooComplex, markdown } = section.reading
  if (isTooComplex) {
    return [
      { field, code: "too_complex", message: "Simplify the document: it nests too deeply for Markdown" }
    ]
  }
  const message = `Shorten the section to ${SECTION_CHARACTERS_MAX} characters of Markdown`
  return isSection(markdown) ? [] : [{ field, code: "too_long", message }]
}
