import { Context, Effect, Layer, Option } from "effect"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { PaidContentRequired, PaidPostRequired } from "../../../schemas/publishing/posts/errors.ts"
import { UploadLimitReached } from "../../../schemas/publishing/uploads/errors.ts"
import {
  POST_ATTACHMENTS_BYTES_MAX,
  POST_ATTACHMENTS_MAX
} from "../../../schemas/publishing/uploads/limits.ts"
import { makeChangingPost } from "./changingPost.ts"
import { type FilesOfPost, type NewFile, PostFilesRepo } from "./PostFilesRepo.ts"

/** Reasons for which a Post takes no file. */
export type FileRefusal = NotFound | PaidContentRequired | PaidPostRequired | UploadLimitReached | Validation

/** A file of a Post that an event is about. */
interface PostFile {
  readonly id: UploadOperationId
  readonly postId: PostId
  readonly at: Date
}

/** Seconds after which the author may have made room, as only the author can. */
const LIMIT_RETRY_SECONDS = 60

const unpaid = ({ enable_paywall, has_paid_text }: FilesOfPost) => {
  if (!enable_paywall && has_paid_text)
    return new PaidPostRequired({
      errors: [
        {
          field: "enablePaywall",
          code: "paid_post_required",
          message: "Set a paywall and a price first: files are for the buyers of a Post"
        }
      ]
    })
  if (!has_paid_text)
    return new PaidContentRequired({
      errors: [
        {
          field: "paidContentMarkdown",
          code: "paid_content_required",
          message: "Write text into the paid section first: files come with it"
        }
      ]
    })
  return undefined
}

/**
 * The files that come with the paid section of a Post (spec 4.3.8). Every method but `lock` and `isKept` runs inside a
 * transaction of the caller that holds the Post, and all changes give the Post a new revision.
 */
export class PostFiles extends Context.Service<
  PostFiles,
  {
    /** Holds off other changes of the Post until the surrounding transaction ends. */
    readonly lock: (post: PostId) => Effect.Effect<void>
    /** Fails when the Post takes no such file. */
    readonly check: (
      file: Pick<NewFile, "postId" | "fileName" | "byteSize">
    ) => Effect.Effect<void, FileRefusal>
    /** Adds a file whose bytes are about to arrive: publication waits for them. */
    readonly add: (file: NewFile, at: Date) => Effect.Effect<void>
    /** Records the bytes of a file. Fails when the Post has become free, or lost its text, since it was added. */
    readonly receive: (
      file: PostFile & { readonly byteSize: number; readonly sha256: string }
    ) => Effect.Effect<void, PaidContentRequired | PaidPostRequired>
    /** Gives a file to buyers. */
    readonly clear: (file: PostFile) => Effect.Effect<void>
    /** Takes a file off the Post. Those who may have bought a ready one keep it. */
    readonly remove: (file: PostFile) => Effect.Effect<void>
    /** Takes a file away for good, also from its buyers. */
    readonly drop: (file: PostFile) => Effect.Effect<void>
    /** Returns true while the file is on its Post, or kept for its buyers. */
    readonly isKept: (id: UploadOperationId) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/posts/PostFiles") {
  static readonly layer = Layer.effect(
    PostFiles,
    Effect.gen(function* () {
      const repo = yield* PostFilesRepo
      const changing = yield* makeChangingPost

      const bump = (postId: PostId, at: Date) => changing(postId)(repo.bump(postId, at))

      const find = Effect.fnUntraced(function* (postId: PostId, fileName: string) {
        const found = yield* repo.of(postId, fileName)
        return Option.isSome(found) ? found.value : yield* new NotFound()
      })

      return PostFiles.of({
        lock: repo.lock,
        check: Effect.fn("PostFiles.check")(function* ({ byteSize, fileName, postId }) {
          const post = yield* find(postId, fileName)
          const refusal = unpaid(post)
          if (refusal !== undefined) return yield* refusal
          if (post.has_name) {
            const message =
              "The Post has a file of this name. Remove it first, or give this one another name."
            return yield* new Validation({ errors: [{ field: "file", code: "taken", message }] })
          }
          if (post.files >= POST_ATTACHMENTS_MAX || post.bytes + byteSize > POST_ATTACHMENTS_BYTES_MAX)
            return yield* new UploadLimitReached({
              limit: "post_attachments",
              retryAfterSeconds: LIMIT_RETRY_SECONDS
            })
        }),
        add: Effect.fn("PostFiles.add")(function* (file, at) {
          yield* repo.insert(file, at)
          yield* bump(file.postId, at)
        }),
        receive: Effect.fn("PostFiles.receive")(function* ({ at, byteSize, id, postId, sha256 }) {
          const post = yield* repo.of(postId, "")
          const refusal = Option.isSome(post) ? unpaid(post.value) : undefined
          if (refusal !== undefined) return yield* refusal
          yield* repo.receive(id, byteSize, Buffer.from(sha256, "hex"))
          yield* bump(postId, at)
        }),
        clear: Effect.fn("PostFiles.clear")(function* ({ at, id, postId }) {
          yield* repo.setReady(id)
          yield* bump(postId, at)
        }),
        remove: Effect.fn("PostFiles.remove")(function* ({ at, id, postId }) {
          if (yield* repo.hide(id, at)) return yield* bump(postId, at)
          // A file that is hidden already stays for its buyers.
          if (yield* repo.dropUnready(id)) yield* bump(postId, at)
        }),
        drop: Effect.fn("PostFiles.drop")(function* ({ at, id, postId }) {
          if (yield* repo.drop(id)) yield* bump(postId, at)
        }),
        isKept: repo.exists
      })
    })
  )
}
