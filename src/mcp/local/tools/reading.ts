import { Effect } from "effect"
import { PART_BYTES } from "../../../../schemas/mcp/arguments.ts"
import type { ReadArguments, SearchArguments } from "../../../../schemas/mcp/hostedTools.ts"
import {
  type LocalPreview,
  type LocalReadContent,
  ReadToolkit
} from "../../../../schemas/mcp/local/readTools.ts"
import type { PostAccess } from "../../../../schemas/payments/access/Access.ts"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { withMediaUrls } from "../../../../schemas/platform/mediaPath.ts"
import { SummaryQuery } from "../../../../schemas/publishing/discovery/query.ts"
import type { Post } from "../../../../schemas/publishing/posts/Post.ts"
import { authorCardOf, postCardOf } from "../../tools/postCard.ts"
import { queryOf } from "../../tools/publicReads.ts"
import { Cleaner, partOf } from "../../tools/untrusted.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { checked } from "../failures/checkedArguments.ts"
import { marked } from "../failures/marked.ts"
import { StateStore } from "../ports/StateStore.ts"
import { makeAsBuyer } from "../purchases/asBuyer.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readIdentity } from "../state/identity.sql.ts"

/** The next step towards the text of a paid Post. */
const HOW_TO_BUY =
  "Call svc_buy_post with post.id and post.priceRaw; svc_context shows the wallet and the grant."

/** Number of bytes of a free Post that its preview shows. */
const EXCERPT_BYTES = 1_500

const noPreview: LocalPreview = {
  available: false,
  reason: "not_public",
  post: null,
  untrusted: null,
  excerptComplete: null,
  own: null,
  hiddenCharactersRemoved: 0
}

const noContent = (reason: LocalReadContent["reason"], offset: number): LocalReadContent => ({
  available: false,
  reason,
  source: null,
  post: null,
  untrusted: null,
  own: null,
  attachments: [],
  offset,
  nextOffset: null,
  totalCharacters: null,
  hiddenCharactersRemoved: 0
})

/** Returns both sections of a Post as one text. */
const wholeOf = (...sections: ReadonlyArray<string | null>) =>
  sections.filter((section) => section !== null && section !== "").join("\n\n")

const draftPreview = (post: Post): LocalPreview => {
  const excerpt = partOf(wholeOf(post.freeContentMarkdown, post.paidContentMarkdown), 0, EXCERPT_BYTES)
  return {
    ...noPreview,
    available: true,
    reason: "draft",
    own: {
      title: post.title,
      description: post.description,
      revision: post.updatedAt,
      excerptMarkdown: excerpt.text
    },
    excerptComplete: excerpt.nextOffset === null
  }
}

/** Returns a part of an own text, unchanged. */
const ownPart = (
  text: string,
  revision: string,
  { max_bytes: bytesMax = PART_BYTES.default, offset = 0, revision: asked }: ReadArguments
): LocalReadContent => {
  if (asked !== undefined && asked !== revision) return noContent("changed", offset)
  const { nextOffset, text: contentMarkdown, totalCharacters } = partOf(text, offset, bytesMax)
  return {
    ...noContent(null, offset),
    available: true,
    source: "own",
    own: { contentMarkdown },
    nextOffset,
    totalCharacters
  }
}

/** Returns a part of the text of a stranger. */
const partOfOthers = (
  source: "free" | "purchase",
  text: string,
  { max_bytes: bytesMax = PART_BYTES.default, offset = 0 }: ReadArguments,
  cleaner: Cleaner
): LocalReadContent => {
  const part = partOf(cleaner.text(text), offset, bytesMax)
  return {
    ...noContent(null, offset),
    available: true,
    source,
    untrusted: { contentMarkdown: part.text },
    nextOffset: part.nextOffset,
    totalCharacters: part.totalCharacters,
    hiddenCharactersRemoved: cleaner.removed
  }
}

const boughtText = ({ post: { content } }: PostAccess) => wholeOf(content.free, content.paid)

/** Returns a part of a text that was bought, whose images can be loaded from anywhere, and the files that come with it. */
const partOfBought = (
  bought: PostAccess,
  wanted: ReadArguments,
  { cleaner, origin }: { readonly cleaner: Cleaner; readonly origin: string }
): LocalReadContent => {
  const attachments = bought.post.attachments.map(({ byteSize, fileName, id, state }) => ({
    id,
    byteSize,
    state,
    untrusted: { fileName: cleaner.text(fileName) }
  }))
  const text = withMediaUrls(boughtText(bought), origin)
  return { ...partOfOthers("purchase", text, wanted, cleaner), attachments }
}

/** Answers about a Post that the identity did not buy. */
const UNBOUGHT: ReadonlySet<string> = new Set(["payment-required", "not-found", "post-withdrawn"])

/** Reads of the selected identity, in addition to the reads that anyone has. */
const makeOwnReads = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const { asBuyer, hasReceipt } = yield* makeAsBuyer
  const { client } = yield* ServiceApi

  const identity = store.read((tx) => Effect.succeed(readIdentity(tx)))

  return {
    hasReceipt,

    /** Returns an own Post; undefined for any other, and without an identity. */
    post: Effect.fnUntraced(function* (postId: PostId) {
      if ((yield* identity) === undefined) return undefined
      return yield* sessions.asPublisher(client.posts.read({ params: { postId } })).pipe(
        Effect.catchIf(
          ({ code }) => code === "not-found",
          () => Effect.undefined
        )
      )
    }),

    /** Returns a Post that the identity wrote or bought; undefined for one that must be paid for. */
    bought: Effect.fnUntraced(function* (postId: PostId) {
      if ((yield* identity) === undefined) return undefined
      return yield* asBuyer(postId, (proof) =>
        client.access.read({ params: { postId }, query: {}, headers: proof })
      ).pipe(
        Effect.catchIf(
          ({ code }) => UNBOUGHT.has(code),
          () => Effect.undefined
        )
      )
    })
  }
})

/** The handlers of the toolset `read`. */
export const makeReadHandlers = Effect.gen(function* () {
  const { client, origin } = yield* ServiceApi
  const own = yield* makeOwnReads

  const absent = <A, E, R>(read: Effect.Effect<A, E, R>) =>
    toFailure(read).pipe(
      Effect.catchIf(
        ({ code }) => code === "not-found",
        () => Effect.undefined
      )
    )

  const categories = toFailure(client.discovery.categoryCounts()).pipe(
    Effect.map(({ data }) => ({ categories: data }))
  )

  const search = Effect.fnUntraced(function* (wanted: SearchArguments) {
    const query = yield* checked(SummaryQuery)(queryOf(wanted))
    const list = yield* toFailure(client.discovery.posts({ query }))
    if (!("pagination" in list)) return yield* marked("response-invalid")
    const cleaner = new Cleaner()
    const authors = (list.authors ?? []).map((author) => authorCardOf(author, cleaner))
    const posts = list.data.map((post) => postCardOf(post, cleaner, origin))
    return { authors, posts, pagination: list.pagination, hiddenCharactersRemoved: cleaner.removed }
  })

  const preview = Effect.fnUntraced(function* (id: string) {
    const postId = PostId.make(id.toLowerCase())
    const found = yield* absent(client.discovery.post({ params: { postId } }))
    if (found === undefined) {
      const draft = yield* own.post(postId)
      return draft === undefined ? noPreview : draftPreview(draft)
    }
    const cleaner = new Cleaner()
    const post = postCardOf(found, cleaner, origin)
    const text = cleaner.text(found.freeContentMarkdown ?? "")
    const excerpt = partOf(text, 0, post.access === "paid" ? PART_BYTES.default : EXCERPT_BYTES)
    return {
      ...noPreview,
      available: true,
      reason: null,
      post,
      untrusted: { excerptMarkdown: excerpt.text },
      excerptComplete: excerpt.nextOffset === null,
      ...(post.access === "paid" ? { howToBuy: HOW_TO_BUY } : {}),
      hiddenCharactersRemoved: cleaner.removed
    }
  })

  const readContent = Effect.fnUntraced(function* (wanted: ReadArguments) {
    const { offset = 0, revision } = wanted
    const postId = PostId.make(wanted.post_id.toLowerCase())
    const found = yield* absent(client.discovery.publicContent({ params: { postId } }))
    if (found === undefined) {
      const post = (yield* own.hasReceipt(postId)) ? undefined : yield* own.post(postId)
      if (post !== undefined) {
        return ownPart(wholeOf(post.freeContentMarkdown, post.paidContentMarkdown), post.updatedAt, wanted)
      }
      // A buyer keeps a Post that its author withdrew. Its card, and so its revision, is not public.
      const kept = yield* own.bought(postId)
      return kept === undefined
        ? noContent("not_public", offset)
        : partOfBought(kept, wanted, { cleaner: new Cleaner(), origin })
    }
    const cleaner = new Cleaner()
    const post = postCardOf(found.post, cleaner, origin)
    const isChanged = revision !== undefined && revision !== post.revision
    const without = (reason: "paid" | "changed") => ({
      ...noContent(reason, offset),
      post,
      hiddenCharactersRemoved: cleaner.removed
    })
    if (found.available && post.access === "free") {
      if (isChanged) return without("changed")
      return { ...partOfOthers("free", found.contentMarkdown ?? "", wanted, cleaner), post }
    }
    const bought = yield* own.bought(postId)
    if (bought === undefined) return { ...without("paid"), howToBuy: HOW_TO_BUY }
    if (bought.access.via === "author") {
      const { removed } = cleaner
      return { ...ownPart(boughtText(bought), post.revision, wanted), post, hiddenCharactersRemoved: removed }
    }
    return isChanged ? without("changed") : { ...partOfBought(bought, wanted, { cleaner, origin }), post }
  })

  return ReadToolkit.of({
    svc_categories: () => categories,
    svc_search: search,
    svc_preview: ({ post_id: id }) => preview(id),
    svc_read_content: readContent
  })
})
