import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { NotFoundProblem } from "../../../schemas/platform/errors/common.ts"
import { ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { atMost } from "../../../schemas/platform/Text.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { NativeDocument } from "../../../schemas/publishing/content/NativeDocument.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { SECTION_CHARACTERS_MAX } from "../../../schemas/publishing/posts/PostDraft.ts"
import { emptyReading, type NativeReading, SectionReader } from "../../platform/ports/SectionReader.ts"
import type { JsonText } from "../../platform/sql/JsonText.ts"
import { patched } from "./content.ts"
import { type EditRefusal, Edits } from "./Edits.ts"
import { NativeContentsRepo } from "./NativeContentsRepo.ts"

/** The sections of a Post as documents; null when empty. */
export interface NativeContent {
  /** The `updatedAt` of the Post that they are of. */
  readonly revision: Timestamp
  readonly free: NativeDocument | null
  readonly paid: NativeDocument | null
}

/** New documents for sections; one that is not named stays, null empties it. */
export interface NativePatch {
  readonly free?: NativeDocument | null
  readonly paid?: NativeDocument | null
}

/**
 * Sections of Posts as other services and rich editors write them: documents that may hold what Markdown has nothing for
 * (specification 4.3.7). Who writes Markdown sees as much of one as Markdown can say, and cannot rewrite it then.
 */
export class NativeContents extends Context.Service<
  NativeContents,
  {
    /** The documents of a Post; that of a section which is Markdown is made of it. */
    readonly read: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<NativeContent, NotFoundProblem>
    /**
     * Writes documents, whatever the sections were, when the Post has `revision` or none is required; they are kept byte
     * for byte as `JSON.stringify` writes them. Errors name `free` or `paid`: `invalid` when it is no document of
     * bounded depth and size, `too_complex` when it nests too deeply to be written as Markdown, `too_long` when that is
     * longer than 200,000 characters. A public Post stays complete, as with any edit.
     */
    readonly write: (
      publisher: PublisherAuthority,
      id: PostId,
      patch: NativePatch,
      revision?: string
    ) => Effect.Effect<JsonText<Post>, NotFoundProblem | EditRefusal>
  }
>()("pennypress/publishing/posts/NativeContents") {
  static readonly layer = Layer.effect(
    NativeContents,
    Effect.gen(function* () {
      const repo = yield* NativeContentsRepo
      const edits = yield* Edits
      const reader = yield* SectionReader

      const documentOf = (native: string | null, markdown: string | null) => {
        if (native !== null) return Effect.succeed(JSON.parse(native) as NativeDocument)
        return markdown === null ? Effect.succeed(null) : reader.nativeOf(markdown)
      }

      const read = Effect.fn("NativeContents.read")(function* (publisher: PublisherAuthority, id: PostId) {
        const row = yield* repo.find(publisher.ownerId, id)
        if (Option.isNone(row)) return yield* new NotFoundProblem({})
        const it = row.value
        return {
          revision: it.updated_at,
          free: yield* documentOf(it.free_content_native, it.free_content_markdown),
          paid: yield* documentOf(it.paid_content_native, it.paid_content_markdown)
        }
      })

      const write = Effect.fn("NativeContents.write")(function* (
        publisher: PublisherAuthority,
        id: PostId,
        patch: NativePatch,
        revision?: string
      ) {
        const free = yield* sectionOf(reader, patch.free)
        const paid = yield* sectionOf(reader, patch.paid)
        const errors = [...errorsOf("free", free), ...errorsOf("paid", paid)]
        if (errors.length > 0) return yield* new ValidationProblem({ errors })
        const row = yield* edits.begin(publisher, id, revision)
        const markdown = {
          ...(free === undefined ? {} : { freeContentMarkdown: free.reading.markdown }),
          ...(paid === undefined ? {} : { paidContentMarkdown: paid.reading.markdown })
        }
        const content = patched(row, markdown, { free: said(free), paid: said(paid) })
        if (Result.isFailure(content)) return yield* new ValidationProblem({ errors: content.failure })
        const native = {
          ...(free && { free_content_native: free.json, free_unsupported: free.reading.unsupportedFeatures }),
          ...(paid && { paid_content_native: paid.json, paid_unsupported: paid.reading.unsupportedFeatures })
        }
        return yield* edits.save(publisher, row, undefined, { content: content.success, native })
      })

      return NativeContents.of({ read, write })
    })
  )
}

/** A section that is written: as it is kept, and what was read of it. */
interface WrittenSection {
  readonly isDocument: boolean
  readonly json: string | null
  readonly reading: NativeReading
}

const nothing: NativeReading = { ...emptyReading, markdown: "", unsupportedFeatures: [] }

const isDocument = Schema.is(NativeDocument)
const isSection = Schema.is(Schema.String.check(atMost(SECTION_CHARACTERS_MAX)))

const sectionOf = Effect.fnUntraced(function* (
  reader: SectionReader["Service"],
  document: NativeDocument | null | undefined
): Effect.fn.Return<WrittenSection | undefined> {
  if (document === undefined) return undefined
  if (document === null) return { isDocument: true, json: null, reading: nothing }
  if (!isDocument(document)) return { isDocument: false, json: null, reading: nothing }
  const reading = yield* reader.readNative(document)
  const isEmpty = reading.markdown.trim() === "" && reading.unsupportedFeatures.length === 0
  return { isDocument: true, json: isEmpty ? null : JSON.stringify(document), reading }
})

/** What Markdown cannot say is no mistake here. */
const said = (section: WrittenSection | undefined) => section && { ...section.reading, unsupported: [] }

const errorsOf = (field: string, section: WrittenSection | undefined): ReadonlyArray<FieldError> => {
  if (section === undefined) return []
  if (!section.isDocument) {
    return [{ field, code: "invalid", message: "Expected a ProseMirror document of bounded depth and size" }]
  }
  const { isTooComplex, markdown } = section.reading
  if (isTooComplex) {
    return [{ field, code: "too_complex", message: "It nests too deeply to be written as Markdown" }]
  }
  const message = `It is longer than ${SECTION_CHARACTERS_MAX} characters as Markdown`
  return isSection(markdown) ? [] : [{ field, code: "too_long", message }]
}
