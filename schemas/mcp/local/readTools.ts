import { Schema } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import { PostIdArgument, Whole } from "../arguments.ts"
import { UNTRUSTED } from "../edition.ts"
import { categories, ReadArguments, search } from "../hostedTools.ts"
import { Preview, ReadContent } from "../results.ts"
import { strictTool, READS } from "../tool.ts"

/** A preview, of an own draft too. The owner's own text stands under `own`, byte for byte. */
export const LocalPreview = Schema.Struct({
  ...Preview.fields,
  reason: Schema.NullOr(Schema.Literals(["not_public", "draft"])),
  own: Schema.NullOr(
    Schema.Struct({
      title: Schema.String,
      description: Schema.String,
      revision: Schema.String,
      excerptMarkdown: Schema.String
    })
  )
})
export type LocalPreview = typeof LocalPreview.Type

/** A file that comes with a Post. */
export const FileCard = Schema.Struct({
  id: Schema.String,
  byteSize: Whole,
  state: Schema.String,
  untrusted: Schema.Struct({ fileName: Schema.String })
})

/** A part of a text. One's own stands under `own`, byte for byte. `attachments` are the files of a Post that was bought. */
export const LocalReadContent = Schema.Struct({
  ...ReadContent.fields,
  source: Schema.NullOr(Schema.Literals(["free", "purchase", "own"])),
  own: Schema.NullOr(Schema.Struct({ contentMarkdown: Schema.String })),
  attachments: Schema.Array(FileCard)
})
export type LocalReadContent = typeof LocalReadContent.Type

const preview = strictTool("svc_preview", "Preview a Post", {
  description: `What a published Post, or a draft of yours, is about and costs, with its teaser or beginning. ${UNTRUSTED}`,
  hints: READS,
  parameters: Schema.Struct({ post_id: PostIdArgument }),
  success: LocalPreview
})

const readContent = strictTool("svc_read_content", "Read a Post", {
  description: `Read the Markdown of a Post that is free, bought or your own, from \`offset\` on. Other paid Posts return available: false with their price. ${UNTRUSTED}`,
  hints: READS,
  parameters: ReadArguments,
  success: LocalReadContent
})

/** The toolset of readers. */
export const ReadToolkit = Toolkit.make(categories, search, preview, readContent)
