import { Effect } from "effect"
import { PART_BYTES } from "../../../schemas/mcp/arguments.ts"
import { HostedToolkit, type ReadArguments, type SearchArguments } from "../../../schemas/mcp/hostedTools.ts"
import type { PostCard, Preview, ReadContent } from "../../../schemas/mcp/results.ts"
import { hostedContext } from "./hostedContext.ts"
import { authorCardOf, postCardOf } from "./postCard.ts"
import { makePublicReads } from "./publicReads.ts"
import { counted } from "./toolCalls.ts"
import { Cleaner, partOf } from "./untrusted.ts"

/** Bytes of a free Post that its preview shows. */
const EXCERPT_BYTES = 1_500

const unavailablePreview: Preview = {
  available: false,
  reason: "not_public",
  post: null,
  untrusted: null,
  excerptComplete: null,
  hiddenCharactersRemoved: 0
}

const unavailableContent = (
  reason: NonNullable<ReadContent["reason"]>,
  offset: number,
  post: PostCard | null = null,
  hiddenCharactersRemoved = 0
): ReadContent => ({
  available: false,
  reason,
  post,
  untrusted: null,
  offset,
  nextOffset: null,
  totalCharacters: null,
  hiddenCharactersRemoved
})

/** The handlers of the five tools, over an `HttpClient` of the service. */
export const makeHostedHandlers = Effect.fnUntraced(function* (baseUrl: string, siteName: string) {
  const reads = yield* makePublicReads(baseUrl)
  const howToBuy = `Buy it by x402: GET post.accessUrl answers 402 with terms in XNO, and gives the text when it is sent again with the signed payment; svc_buy_post of the local edition does both, and ${baseUrl}/llms.txt has the steps.`

  const search = Effect.fnUntraced(function* (wanted: SearchArguments) {
    const { authors: found = [], data, pagination } = yield* reads.posts(wanted)
    const cleaner = new Cleaner()
    const authors = found.map((author) => authorCardOf(author, cleaner))
    const posts = data.map((post) => postCardOf(post, cleaner, baseUrl))
    return { authors, posts, pagination, hiddenCharactersRemoved: cleaner.removed }
  })

  const preview = Effect.fnUntraced(function* (id: string) {
    const found = yield* reads.post(id)
    if (found === undefined) return unavailablePreview
    const cleaner = new Cleaner()
    const post = postCardOf(found, cleaner, baseUrl)
    const whole = cleaner.text(found.freeContentMarkdown ?? "")
    const excerpt = partOf(whole, 0, post.access === "paid" ? PART_BYTES.default : EXCERPT_BYTES)
    return {
      available: true,
      reason: null,
      post,
      untrusted: { excerptMarkdown: excerpt.text },
      excerptComplete: excerpt.nextOffset === null,
      ...(post.access === "paid" ? { howToBuy } : {}),
      hiddenCharactersRemoved: cleaner.removed
    } satisfies Preview
  })

  const readContent = Effect.fnUntraced(function* (wanted: ReadArguments) {
    const { max_bytes: bytesMax = PART_BYTES.default, offset = 0, post_id: id, revision } = wanted
    const found = yield* reads.content(id)
    if (found === undefined) return unavailableContent("not_public", offset)
    const cleaner = new Cleaner()
    const post = postCardOf(found.post, cleaner, baseUrl)
    if (!found.available || post.access === "paid") {
      return { ...unavailableContent("paid", offset, post, cleaner.removed), howToBuy }
    }
    if (revision !== undefined && revision !== post.revision) {
      return unavailableContent("changed", offset, post, cleaner.removed)
    }
    const part = partOf(cleaner.text(found.contentMarkdown ?? ""), offset, bytesMax)
    return {
      available: true,
      reason: null,
      post,
      untrusted: { contentMarkdown: part.text },
      offset,
      nextOffset: part.nextOffset,
      totalCharacters: part.totalCharacters,
      hiddenCharactersRemoved: cleaner.removed
    } satisfies ReadContent
  })

  const context = Effect.succeed(hostedContext(baseUrl, siteName))
  const categories = Effect.map(reads.categories, ({ data }) => ({ categories: data }))

  return HostedToolkit.of({
    svc_context: () => counted("svc_context")(context),
    svc_categories: () => counted("svc_categories")(categories),
    svc_search: (wanted) => counted("svc_search")(search(wanted)),
    svc_preview: ({ post_id: id }) => counted("svc_preview")(preview(id)),
    svc_read_content: (wanted) => counted("svc_read_content")(readContent(wanted))
  })
})
