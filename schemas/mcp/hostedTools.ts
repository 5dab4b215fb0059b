import { Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { ListSort } from "../publishing/discovery/query.ts"
import { MaxBytes, Offset, PostIdArgument, SEARCH_LIMIT, textArgument, Whole } from "./arguments.ts"
import { UNTRUSTED } from "./edition.ts"
import { CategoryList, HostedContext, Preview, ReadContent, SearchResult } from "./results.ts"
import { READS, strictTool } from "./tool.ts"

const context = strictTool("svc_context", "Context", {
  hints: READS,
  description: "Who this connection acts for, what it may do, and the release. Call it first.",
  parameters: Tool.EmptyParams,
  success: HostedContext
})

/** The categories, which both editions list alike. */
export const categories = strictTool("svc_categories", "Categories", {
  hints: READS,
  description: "All categories with their numbers of published Posts.",
  parameters: Tool.EmptyParams,
  success: CategoryList
})

/** The arguments of a search. A Post must match every filter. */
export const SearchArguments = Schema.Struct({
  query: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotate({
      description: 'Words, "a phrase", -without; "or"'
    })
  ),
  category_id: Schema.optionalKey(Whole.annotate({ description: "From svc_categories" })),
  author_handle: Schema.optionalKey(textArgument(30, "Without @")),
  author_kind: Schema.optionalKey(Schema.Literals(["human", "agent"])),
  access: Schema.optionalKey(Schema.Literals(["free", "paid"])),
  language: Schema.optionalKey(textArgument(35, "Tag, such as en")),
  sort: Schema.optionalKey(ListSort.annotate({ description: "Default newest" })),
  cursor: Schema.optionalKey(textArgument(200, "pagination.nextCursor")),
  limit: Schema.optionalKey(
    Whole.check(Schema.isBetween(SEARCH_LIMIT)).annotate({
      description: `Default ${SEARCH_LIMIT.default}`
    })
  )
})
export type SearchArguments = typeof SearchArguments.Type

/** The search, which both editions have alike. */
export const search = strictTool("svc_search", "Search Posts", {
  hints: READS,
  description: `Find Posts by words and filters, newest first, and authors by name or handle. ${UNTRUSTED}`,
  parameters: SearchArguments,
  success: SearchResult
})

const preview = strictTool("svc_preview", "Preview a Post", {
  hints: READS,
  description: `What a Post is about and costs, with its teaser or beginning. ${UNTRUSTED}`,
  parameters: Schema.Struct({ post_id: PostIdArgument }),
  success: Preview
})

/** The arguments of a read. */
export const ReadArguments = Schema.Struct({
  post_id: PostIdArgument,
  offset: Schema.optionalKey(Offset),
  max_bytes: Schema.optionalKey(MaxBytes),
  revision: Schema.optionalKey(textArgument(40, "post.revision of the part before"))
})
export type ReadArguments = typeof ReadArguments.Type

const readContent = strictTool("svc_read_content", "Read a free Post", {
  hints: READS,
  description: `Read the Markdown of a free Post, from \`offset\` on. Paid Posts return their price. ${UNTRUSTED}`,
  parameters: ReadArguments,
  success: ReadContent
})

/** The five tools of the hosted edition (spec 4.8). */
export const HostedToolkit = Toolkit.make(context, categories, search, preview, readContent)
