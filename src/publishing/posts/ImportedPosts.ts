import { Context, Effect, Layer, Option } from "effect"
import type { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { ContentNotEditable, PostPublished } from "../../../schemas/publishing/posts/errors.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import type { PostDraft, PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import type { StorageQuotaReached } from "../../../schemas/publishing/storage/errors.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { isSameMoment } from "../../platform/time/isSameMoment.ts"
import { now } from "../../platform/time/now.ts"
import type { LeaseLost } from "../../platform/work/lease.ts"
import { SectionReader } from "../content/SectionReader.ts"
import { AccountStorage } from "../storage/AccountStorage.ts"
import { readingsOf, textBytesOf } from "./content.ts"
import { checkedDraft } from "./createPost.ts"
import type { EditRefusal, Within } from "./editPost.ts"
import { insertPost } from "./insertPost.sql.ts"
import { LongWrites } from "./LongWrites.ts"
import { makeWriteNative, type NativePatch } from "./NativeContents.ts"
import { makePatchPost } from "./patchPost.ts"
import { PostFinance } from "./PostFinance.ts"
import { PostImages } from "./PostImages.ts"
import type { PostRow } from "./postRow.ts"
import { postStatements } from "./posts.sql.ts"
import { slugBaseOf, type WantedSlug, withFreeSlug } from "./slug.ts"
import { explainConstraint } from "./writeErrors.ts"

/** A draft that an import makes. */
export interface ImportedDraft {
  readonly id: PostId
  readonly owner: OwnerId
  readonly draft: PostDraft
  /** The date that the Post had elsewhere. */
  readonly datedAt: Timestamp | null
}

/** The parts of writing Posts that imports need, with the rules of every other draft and limits of their own. */
export class ImportedPosts extends Context.Service<
  ImportedPosts,
  {
    /** Creates a draft. A slug that was taken meanwhile gets a number. */
    readonly create: (
      draft: ImportedDraft,
      within: Within<LeaseLost>
    ) => Effect.Effect<PostRow, LeaseLost | StorageQuotaReached | Validation>
    /** Changes the members of a Post that a patch names, as `Posts.update` does, when the Post has `revision`. */
    readonly update: (
      publisher: PublisherAuthority,
      id: PostId,
      patch: PostPatch,
      revision: Timestamp,
      within: Within<LeaseLost>
    ) => Effect.Effect<Post, NotFound | PostPublished | ContentNotEditable | EditRefusal | LeaseLost>
    /** Writes documents in place of sections, as `NativeContents.write` does, when the Post has `revision`. */
    readonly writeNative: (
      publisher: PublisherAuthority,
      id: PostId,
      patch: NativePatch,
      revision: Timestamp,
      within: Within<LeaseLost>
    ) => Effect.Effect<Post, NotFound | EditRefusal | LeaseLost>
    /** Finds a Post of the account. */
    readonly find: (owner: OwnerId, id: PostId) => Effect.Effect<Option.Option<PostRow>>
    /**
     * Deletes a draft with its pictures if nothing happened to it since `revision`: no edit, no publication, no payment.
     * Returns false for any other. Runs inside the caller's transaction.
     */
    readonly removeUntouched: (owner: OwnerId, id: PostId, revision: Timestamp) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/posts/ImportedPosts") {
  static readonly layer = Layer.effect(
    ImportedPosts,
    Effect.gen(function* () {
      const posts = yield* postStatements
      const insert = yield* insertPost
      const longWrites = yield* LongWrites
      const reader = yield* SectionReader
      const storage = yield* AccountStorage
      const transactions = yield* Transactions
      const images = yield* PostImages
      const finance = yield* PostFinance
      const media = yield* OwnMedia
      const patchPost = yield* makePatchPost
      const writeNative = yield* makeWriteNative
      const explained = explainConstraint(posts.unknownCategories)

      return ImportedPosts.of({
        create: Effect.fn("ImportedPosts.create")(function* ({ datedAt, draft, id, owner }, within) {
          const checked = yield* checkedDraft(draft, yield* readingsOf(reader, owner, draft), media)
          const content = { ...checked, dated_at: datedAt }
          yield* storage.admit(owner, textBytesOf(content))
          const at = yield* now
          const write = (slug: WantedSlug, tried: number) =>
            transactions.run(
              Effect.gen(function* () {
                yield* within.before
                const inserted = yield* insert({ id, owner_id: owner, content, slug, tried, at }, undefined)
                const post = Option.getOrThrow(inserted)
                yield* within.after(post)
                return post
              })
            )
          const { slug } = draft
          const numbered = withFreeSlug({ base: slug ?? slugBaseOf(content.title, id) }, id, write)
          const created =
            slug === undefined
              ? numbered
              : Effect.catchTag(write({ chosen: slug }, 0), "SlugInUse", () => numbered)
          return yield* longWrites.inTurn(owner, content, created).pipe(
            Effect.catchTag(["SlugInUse", "UnknownCategory"], (constraint) => explained(constraint, content)),
            // A slug with a number is always found.
            Effect.catchTag("SlugTaken", Effect.die)
          )
        }, Effect.scoped),

        update: (publisher, id, patch, revision, within) =>
          patchPost(publisher, id, patch, revision, { within }),

        writeNative,

        find: posts.find,

        removeUntouched: Effect.fn("ImportedPosts.removeUntouched")(function* (owner, id, revision) {
          const row = yield* posts.lock(owner, id)
          if (Option.isNone(row)) return false
          const { status, updated_at, was_public } = row.value
          if (status !== "draft" || was_public || !isSameMoment(revision, updated_at)) return false
          // Read under the lock, so that no payment comes in between.
          if ((yield* finance.retained(id)) !== null) return false
          yield* finance.release(id)
          // The Post is deleted first. Its deletion waits for reservations that hold it, so that none is missed.
          yield* posts.remove(id)
          yield* images.release(id)
          return true
        })
      })
    })
  )
}
