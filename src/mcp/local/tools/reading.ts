import { Effect } from "effect"
import { PART_BYTES } from "../../../../schemas/mcp/arguments.ts"
import type { ReadArguments, SearchArguments } from "../../../../schemas/mcp/hostedTools.ts"
import {
  type LocalPreview,
  type LocalReadContent,
  ReadToolkit
} from "../../../../schemas/mcp/local/readTools.ts"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { SummaryQuery } from "../../../../schemas/publishing/discovery/query.ts"
import type { Post } from "../../../../schemas/publishing/posts/Post.ts"
import { postCardOf } from "../../tools/postCard.ts"
import { queryOf } from "../../tools/publicReads.ts"
import { Cleaner, partOf } from "../../tools/untrusted.ts"
import { toFailure } from "../failures/apiFailures.ts"
import { checked } from "../failures/checkedArguments.ts"
import { marked } from "../failures/marked.ts"
import { ServiceApi } from "../http/ServiceApi.ts"
import { StateStore } from "../ports/StateStore.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { readIdentity } from "../state/IdentityRepo.ts"

/** Bytes of a free Post that its preview shows. */
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

/** Returns a part of a text of one's own, as it is. */
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

/** Reads of the selected identity, beside those of anyone. */
const makeOwnReads = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi

  const identity = store.read((tx) => Effect.succeed(readIdentity(tx)))

  return {
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

    /** Returns a paid Post that the identity wrote or bought; undefined for one that has to be paid. */
    bought: Effect.fnUntraced(function* (postId: PostId) {
      if ((yield* identity) === undefined) return undefined
      const read = client.access
        .read({ params: { postId }, query: {}, headers: {} })
        .pipe(Effect.catchTag(["PaymentRequired", "NotFound", "PostWithdrawn"], () => Effect.undefined))
      return yield* sessions.asOwner(read)
    })
  }
})

/** The handlers of the toolset `read`. */
export const makeReadHandlers = Effect.gen(function* () {
  const { client } = yield* ServiceApi
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
    const posts = list.data.map((post) => postCardOf(post, cleaner))
    return { posts, pagination: list.pagination, hiddenCharactersRemoved: cleaner.removed }
  })

  const preview = Effect.fnUntraced(function* (id: string) {
    const postId = PostId.make(id.toLowerCase())
    const found = yield* absent(client.discovery.post({ params: { postId } }))
    if (found === undefined) {
      const draft = yield* own.post(postId)
      return draft === undefined ? noPreview : draftPreview(draft)
    }
    const cleaner = new Cleaner()
    const post = postCardOf(found, cleaner)
    const text = cleaner.text(found.freeContentMarkdown ?? "")
    const excerpt = partOf(text, 0, post.access === "paid" ? PART_BYTES.default : EXCERPT_BYTES)
    return {
      ...noPreview,
      available: true,
      reason: null,
      post,
      untrusted: { excerptMarkdown: excerpt.text },
      excerptComplete: excerpt.nextOffset === null,
      hiddenCharactersRemoved: cleaner.removed
    }
  })

  const readContent = Effect.fnUntraced(function* (wanted: ReadArguments) {
    const { max_bytes: bytesMax = PART_BYTES.default, offset = 0, revision } = wanted
    const postId = PostId.make(wanted.post_id.toLowerCase())
    const found = yield* absent(client.discovery.publicContent({ params: { postId } }))
    if (found === undefined) {
      const post = yield* own.post(postId)
      if (post === undefined) return noContent("not_public", offset)
      return ownPart(wholeOf(post.freeContentMarkdown, post.paidContentMarkdown), post.updatedAt, wanted)
    }
    const cleaner = new Cleaner()
    const post = postCardOf(found.post, cleaner)
    const isFree = found.available && post.access === "free"
    const paid = isFree ? undefined : yield* own.bought(postId)
    const bought = paid === undefined ? undefined : wholeOf(paid.post.content.free, paid.post.content.paid)
    if (paid?.access.via === "author") {
      return {
        ...ownPart(bought ?? "", post.revision, wanted),
        post,
        hiddenCharactersRemoved: cleaner.removed
      }
    }
    const text = isFree ? (found.contentMarkdown ?? "") : bought
    const reason =
      text === undefined ? "paid" : revision !== undefined && revision !== post.revision ? "changed" : null
    if (text === undefined || reason !== null) {
      return { ...noContent(reason, offset), post, hiddenCharactersRemoved: cleaner.removed }
    }
    const part = partOf(cleaner.text(text), offset, bytesMax)
    return {
      ...noContent(null, offset),
      available: true,
      source: isFree ? ("free" as const) : ("purchase" as const),
      post,
      untrusted: { contentMarkdown: part.text },
      nextOffset: part.nextOffset,
      totalCharacters: part.totalCharacters,
      hiddenCharactersRemoved: cleaner.removed
    }
  })

  return ReadToolkit.of({
    svc_categories: () => categories,
    svc_search: search,
    svc_preview: ({ post_id: id }) => preview(id),
    svc_read_content: readContent
  })
})
