import { Cache, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { NativeDocument, NativeNode } from "../../../schemas/publishing/posts/NativeDocument.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { statements } from "../../platform/sql/statements.ts"
import { SectionReader } from "../content/SectionReader.ts"

/** A Post at a revision. */
export interface SavedPost {
  readonly ownerId: OwnerId
  readonly postId: string
  readonly revision: Timestamp
}

/** Number of Posts whose references are kept in memory. */
const CAPACITY = 256

const Sections = Schema.Struct({
  free_native: Schema.NullOr(Schema.String),
  free_markdown: Schema.NullOr(Schema.String),
  paid_native: Schema.NullOr(Schema.String),
  paid_markdown: Schema.NullOr(Schema.String)
})

/** Adds every text among the attributes of a node, its marks and all that it holds. */
const collect = (value: unknown, into: Set<string>): void => {
  if (typeof value === "string") into.add(value)
  else if (typeof value === "object" && value !== null) {
    for (const it of Object.values(value)) collect(it, into)
  }
}

const collectNode = ({ attrs, content, marks }: NativeNode, into: Set<string>): void => {
  collect(attrs, into)
  for (const mark of marks ?? []) collect(mark.attrs, into)
  for (const child of content ?? []) collectNode(child, into)
}

/** The URLs that the sections of a Post refer to, as they are stored. */
export class SavedReferences extends Context.Service<
  SavedReferences,
  {
    /**
     * Returns the URLs of images and links in both sections of a Post, as its parser reads them, and those of images of
     * the service by their paths. URLs in code or text do not count. The set may hold other attributes of the text, such as titles. Empty without the Post.
     */
    readonly of: (post: SavedPost) => Effect.Effect<ReadonlySet<string>>
  }
>()("pennypress/publishing/posts/SavedReferences") {
  static readonly layer = Layer.effect(
    SavedReferences,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const reader = yield* SectionReader
      const { storedOf } = yield* OwnMedia
      const { maybe } = statements(sql, "SavedReferences")

      const documentOf = Effect.fnUntraced(function* (
        ownerId: OwnerId,
        native: string | null,
        markdown: string | null
      ) {
        if (native !== null) return JSON.parse(native) as NativeDocument
        // Only the path of an image decides, which the Markdown may spell in another way.
        const mayRefer = markdown !== null && (markdown.includes("/media/") || /[\\&%]/.test(markdown))
        return mayRefer ? yield* reader.nativeOf(ownerId, markdown) : undefined
      })

      const read = Effect.fnUntraced(function* (key: string) {
        const [postId = "", owner = ""] = key.split(" ")
        const ownerId = OwnerId.make(owner)
        const urls = new Set<string>()
        const sections = Option.getOrUndefined(
          yield* maybe("sections", Sections)`
            select free_content_native::text as free_native, free_content_markdown as free_markdown,
              paid_content_native::text as paid_native, paid_content_markdown as paid_markdown
            from posts where id = ${postId} and owner_id = ${ownerId}`
        )
        if (sections === undefined) return urls
        const free = yield* documentOf(ownerId, sections.free_native, sections.free_markdown)
        const paid = yield* documentOf(ownerId, sections.paid_native, sections.paid_markdown)
        for (const document of [free, paid]) if (document !== undefined) collectNode(document, urls)
        return new Set([...urls].map(storedOf))
      })

      // A revision never comes back, so an entry stays correct for as long as it is kept.
      const cache = yield* Cache.makeWith(read, {
        capacity: CAPACITY,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 minutes" : 0)
      })

      return SavedReferences.of({
        of: ({ ownerId, postId, revision }) => Cache.get(cache, `${postId} ${ownerId} ${revision}`)
      })
    })
  )
}
