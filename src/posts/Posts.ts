import { Context, Effect, Layer, Option, Result } from "effect"
import { NotFoundProblem, RevisionConflict } from "../../schemas/errors/common.ts"
import { ValidationProblem } from "../../schemas/errors/families.ts"
import type { PostId } from "../../schemas/Ids.ts"
import {
  ContentNotEditable,
  FinancialHistoryRetained,
  PostHasPurchases,
  PostPublished,
  type SlugTaken
} from "../../schemas/posts/errors.ts"
import type { Post, PostPage, PostStatus } from "../../schemas/posts/Post.ts"
import type { PostPatch } from "../../schemas/posts/PostDraft.ts"
import type { PublisherAuthority } from "../../schemas/security/authorities.ts"
import { SectionReader } from "../ports/SectionReader.ts"
import type { JsonText } from "../sql/JsonText.ts"
import { Transactions } from "../sql/Transactions.ts"
import { now } from "../time/now.ts"
import { patched, type PostContent } from "./content.ts"
import { lockedSections, rewritten } from "./editability.ts"
import { PostFinance } from "./PostFinance.ts"
import type { PostRow } from "./postRow.ts"
import { type PostChange, PostsRepo } from "./PostsRepo.ts"
import { Publications, type PublicationRefusal } from "./Publications.ts"
import { readingsOf } from "./readings.ts"
import { refusedBy } from "./refused.ts"
import { SLUG_FALLBACK, slugBaseOfTitle, type WantedSlug, withFreeSlug } from "./slug.ts"

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
    ) => Effect.Effect<
      JsonText<Post>,
      | NotFoundProblem
      | ValidationProblem
      | RevisionConflict
      | SlugTaken
      | PostPublished
      | ContentNotEditable
      | PublicationRefusal
    >
    /** Removes a draft for good, unless payments name it; a published Post is unpublished first. */
    readonly remove: (
      publisher: PublisherAuthority,
      id: PostId
    ) => Effect.Effect<void, NotFoundProblem | PostPublished | PostHasPurchases | FinancialHistoryRetained>
  }
>()("pennypress/posts/Posts") {
  static readonly layer = Layer.effect(
    Posts,
    Effect.gen(function* () {
      const repo = yield* PostsRepo
      const finance = yield* PostFinance
      const publications = yield* Publications
      const reader = yield* SectionReader
      const transactions = yield* Transactions

      const find = Effect.fnUntraced(function* (publisher: PublisherAuthority, id: PostId) {
        const row = yield* repo.find(publisher.ownerId, id)
        if (Option.isNone(row)) return yield* new NotFoundProblem({})
        return row.value
      })

      const refused = refusedBy(repo.unknownCategories)

      /** The Post that a change begins with, when it has `revision` or none is required. */
      const atRevision = Effect.fnUntraced(function* (
        publisher: PublisherAuthority,
        id: PostId,
        revision: string | undefined
      ) {
        const row = yield* find(publisher, id)
        if (revision !== undefined && !isSameMoment(revision, row.updated_at))
          return yield* new RevisionConflict({})
        return row
      })

      /** Writes what a Post becomes, with all that follows when it is public. */
      const write = Effect.fnUntraced(function* (
        publisher: PublisherAuthority,
        row: PostRow,
        wanted: WantedSlug | undefined,
        changed: Pick<PostChange, "content" | "native">
      ) {
        const { content } = changed
        const isPublic = row.status === "published"
        if (isPublic) yield* publications.check(content, row)
        const { id, updated_at: revision } = row
        const change = { ...changed, id, ownerId: publisher.ownerId, revision, at: yield* now }
        const written = yield* withFreeSlug(wanted, id, (slug, tried) =>
          repo.update({ ...change, slug, tried })
        ).pipe(
          Effect.tap((updated) =>
            isPublic && Option.isSome(updated) ? publications.edited(publisher, row, content) : Effect.void
          ),
          (write) => (isPublic ? transactions.run(write) : write),
          Effect.catch((refusal) => refused(refusal, content))
        )
        // Somebody else was faster: what this change was computed from is no more.
        if (Option.isNone(written)) return yield* new RevisionConflict({})
        return written.value
      })

      const update = Effect.fn("Posts.update")(function* (
        publisher: PublisherAuthority,
        id: PostId,
        patch: PostPatch,
        revision: string | undefined
      ) {
        const row = yield* atRevision(publisher, id, revision)
        const locked = lockedSections(row, patch)
        if (locked !== undefined) return yield* new ContentNotEditable(locked)
        const changed = patched(row, patch, yield* readingsOf(reader, patch))
        if (Result.isFailure(changed)) return yield* new ValidationProblem({ errors: changed.failure })
        if (row.status === "published" && patch.slug !== undefined && patch.slug !== row.slug)
          return yield* new PostPublished({})
        const content = changed.success
        return yield* write(publisher, row, newSlug(row, patch, content), {
          content,
          native: rewritten(patch)
        })
      })

      const remove = Effect.fn("Posts.remove")(
        function* (publisher: PublisherAuthority, id: PostId) {
          const row = yield* repo.lock(publisher.ownerId, id)
          if (Option.isNone(row)) return yield* new NotFoundProblem({})
          if (row.value.status === "published") return yield* new PostPublished({})
          const retained = yield* finance.retained(id)
          if (retained === "purchases") return yield* new PostHasPurchases({})
          if (retained === "history") return yield* new FinancialHistoryRetained({})
          yield* repo.remove(id)
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

/** A revision names a moment, whose trailing zeros and offset can be spelled in more than one way. */
const isSameMoment = (revision: string, updatedAt: string) =>
  revision === updatedAt ||
  (Date.parse(revision) === Date.parse(updatedAt) && microsOf(revision) === microsOf(updatedAt))

const microsOf = (moment: string) => (/\.(\d+)/.exec(moment)?.[1] ?? "").padEnd(9, "0")
