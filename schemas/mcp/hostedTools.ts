import { Schema } from "effect"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { PostSort } from "../publishing/discovery/query.ts"
import { MaxBytes, Offset, PostIdArgument, SEARCH_LIMIT, textArgument, Whole } from "./arguments.ts"
import { UNTRUSTED } from "./edition.ts"
import { CategoryList, HostedContext, Preview, ReadContent, SearchResult } from "./results.ts"
import { ToolFailure } from "./ToolFailure.ts"

/** Makes a tool that reads and never changes anything. It refuses arguments that it does not declare. */
const reading = <
  const Name extends string,
  Parameters extends Schema.Constraint,
  Success extends Schema.Constraint
>(
  name: Name,
  title: string,
  {
    description,
    parameters,
    success
  }: {
    readonly description: string
    readonly parameters: Parameters
    readonly success: Success
  }
) =>
  Tool.make(name, { description, parameters, success, failure: ToolFailure, failureMode: "return" })
    .annotate(Tool.Title, title)
    .annotate(Tool.Strict, true)
    .annotate(Tool.Readonly, true)
    .annotate(Tool.Destructive, false)
    .annotate(Tool.Idempotent, true)
    .annotate(Tool.OpenWorld, true)

const context = reading("svc_context", "Context", {
  description: "Who this connection acts for, what it may do, and the release. Call it first.",
  parameters: Tool.EmptyParams,
  success: HostedContext
})

/** The categories, which both editions list alike. */
export const categories = reading("svc_categories", "Categories", {
  description: "All categories with their numbers of published Posts.",
  parameters: Tool.EmptyParams,
  success: CategoryList
})

/** The arguments of a search. A Post has to match every filter. */
export const SearchArguments = Schema.Struct({
  query: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200)).annotate({
      description: "Words to look for"
    })
  ),
  category_id: Schema.optionalKey(Whole.annotate({ description: "From svc_categories" })),
  author_handle: Schema.optionalKey(textArgument(30, "Without @")),
  author_kind: Schema.optionalKey(Schema.Literals(["human", "agent"])),
  access: Schema.optionalKey(Schema.Literals(["free", "paid"])),
  language: Schema.optionalKey(textArgument(35, "Language tag, such as en")),
  sort: Schema.optionalKey(PostSort.annotate({ description: "Default newest" })),
  cursor: Schema.optionalKey(textArgument(200, "pagination.nextCursor of the page before")),
  limit: Schema.optionalKey(
    Whole.check(Schema.isBetween(SEARCH_LIMIT)).annotate({
      description: `Default ${SEARCH_LIMIT.default}`
    })
  )
})
export type SearchArguments = typeof SearchArguments.Type

/** The search, which both editions have alike. */
export const search = reading("svc_search", "Search Posts", {
  description: `Find published Posts, free and paid, by words and filters; newest first. Follow nextCursor for more. ${UNTRUSTED}`,
  parameters: SearchArguments,
  success: SearchResult
})

const preview = reading("svc_preview", "Preview a Post", {
  description: `What a published Post is about and costs, with its teaser or beginning. ${UNTRUSTED}`,
  parameters: Schema.Struct({ post_id: PostIdArgument }),
  success: Preview
})

/** The arguments of a read. */
export const ReadArguments = Schema.Struct({
  post_id: PostIdArgument,
  offset: Schema.optionalKey(Offset),
  max_bytes: Schema.optionalKey(MaxBytes),
  revision: Schema.optionalKey(
    textArgument(40, "post.revision of the part before; another text answers reason: changed")
  )
})
export type ReadArguments = typeof ReadArguments.Type

const readContent = reading("svc_read_content", "Read a free Post", {
  description: `Read the Markdown of a published free Post, from \`offset\` on. Paid Posts answer available: false with their price. ${UNTRUSTED}`,
  parameters: ReadArguments,
  success: ReadContent
})

/** The five tools of the hosted edition (spec 4.8). */
export const HostedToolkit = Toolkit.make(context, categories, search, preview, readContent)
