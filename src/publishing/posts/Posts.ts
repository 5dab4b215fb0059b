import { Context, Effect, Layer, Option, Result } from "effect"
import { NotFoundProblem } from "../../../schemas/platform/errors/common.ts"
import { ValidationProblem } from "../../../schemas/platform/errors/families.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  ContentNotEditable,
  FinancialHistoryRetained,
  PostHasPurchases,
  PostPublished
} from "../../../schemas/publishing/posts/errors.ts"
import type { Post, PostPage, PostStatus } from "../../../schemas/publishing/posts/Post.ts"
import type { PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import { SectionReader } from "../../platform/ports/SectionReader.ts"
import type { JsonText } from "../../platform/sql/JsonText.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { patched, type PostContent } from "./content.ts"
import { lockedSections, rewritten } from "./editability.ts"
import { type EditRefusal, Edits } from "./Edits.ts"
import { PostFinance } from "./PostFinance.ts"
import { PostImages } from "./PostImages.ts"
import type { PostRow } from "./postRow.ts"
import { PostsRepo } from "./PostsRepo.ts"
import { readingsOf } from "./readings.ts"
import { SLUG_FALLBACK, slugBaseOfTitle, type WantedSlug } from "./slug.ts"

/** The lifecycle of Posts for the Publishing key of their author (specification 3.1, 4.3). */
export class Posts extends Context.Service<
  Posts,
  {
    readonly list: (
      publisher: PublisherAuthority,
      query: { readonly status?: PostStatus; readonly page?: number; readonly per_page?: number }
    ) => Effect.Effect<JsonText<PostPage>>
    readonly read: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<JsonText<Post>, NotFoundProblem>
    /** Changes what the patch names, when the Post has `revision` or none is required. */
    readonly update: (
      publisher: PublisherAuthority,
      id: PostId,
      patch: PostPatch,
      revision: string | undefined
    ) => Effect.Effect<JsonText<Post>, NotFoundProblem | PostPublished | ContentNotEditable | EditRefusal>
    /** Removes a draft for good, unless payments name it; a published Post is unpublished first. */
    readonly remove: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<void, NotFoundProblem | PostPublished | PostHasPurchases | FinancialHistoryRetained>
  }
>()("pennypress/publishing/posts/Posts") {
  static readonly layer = Layer.effect(
    Posts,
    Effect.gen(function* () {
      const repo = yield* PostsRepo
      const edits = yield* Edits
      const finance = yield* PostFinance
      const media = yield* PostImages
      const reader = yield* SectionReader
      const transactions = yield* Transactions

      const update = Effect.fn("Posts.update")(function* (
        publisher: PublisherAuthority,
        id: PostId,
        patch: PostPatch,
        revision: string | undefined
      ) {
        const row = yield* edits.begin(publisher, id, revision)
        const locked = lockedSections(row, patch)
        if (locked !== undefined) return yield* new ContentNotEditable(locked)
        const changed = patched(row, patch, yield* readingsOf(reader, patch))
        if (Result.isFailure(changed)) return yield* new ValidationProblem({ errors: changed.failure })
        if (row.status === "published" && patch.slug !== undefined && patch.slug !== row.slug)
          return yield* new PostPublished({})
        const content = changed.success
        const native = rewritten(patch)
        return yield* edits.save(publisher, row, newSlug(row, patch, content), { content, native })
      })

      const remove = Effect.fn("Posts.remove")(
        function* (publisher: PublisherAuthority, id: PostId) {
          const row = yield* repo.lock(publisher.ownerId, id)
          if (Option.isNone(row)) return yield* new NotFoundProblem({})
          if (row.value.status === "published") return yield* new PostPublished({})
          const retained = yield* finance.retained(id)
          if (retained === "purchases") return yield* new PostHasPurchases({})
          if (retained === "history") return yield* new FinancialHistoryRetained({})
          // The Post goes first: it waits for reservations that hold it, so that none is missed.
          yield* repo.remove(id)
          yield* media.release(id)
        },
        (effect) => transactions.run(effect)
      )

      return Posts.of({
        list: (publisher, { page = 1, per_page = 20, status }) =>
          repo.list(publisher.ownerId, { status, page, perPage: per_page }),
        read: Effect.fn("Posts.read")(function* (publisher, id) {
          const post = yield* repo.read(publisher.ownerId, id)
          if (Option.isNone(post)) return yield* new NotFoundProblem({})
          return post.value
        }),
        update,
        remove
      })
    })
  )
}

/** A draft that was saved without a title takes its slug from the first one that it gets. */
const newSlug = (row: PostRow, patch: PostPatch, content: PostContent): WantedSlug | undefined => {
  if (patch.slug !== undefined) return patch.slug === row.slug ? undefined : { chosen: patch.slug }
  const base = slugBaseOfTitle(content.title)
  return row.status === "draft" && row.slug_base === SLUG_FALLBACK && base !== SLUG_FALLBACK
    ? { base }
    : undefined
}
