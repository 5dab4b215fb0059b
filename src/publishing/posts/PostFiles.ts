import { Context, Effect, Layer, Option } from "effect"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import type { PostId, UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { PaidContentRequired, PaidPostRequired } from "../../../schemas/publishing/posts/errors.ts"
import { UploadLimitReached } from "../../../schemas/publishing/uploads/errors.ts"
import {
  POST_ATTACHMENTS_BYTES_MAX,
  POST_ATTACHMENTS_MAX
} from "../../../schemas/publishing/uploads/limits.ts"
import { later } from "../../platform/time/now.ts"
import { type FilesOfPost, type KeptFile, type NewFile, postFileStatements } from "./postFiles.sql.ts"
import { PostFinance } from "./PostFinance.ts"
import { makeRecordUpdate } from "./recordUpdate.ts"
import { makeUpdatingReaders } from "./updatingReaders.ts"

/** Reasons why a Post cannot take a file. */
export type FileRefusal = NotFound | PaidContentRequired | PaidPostRequired | UploadLimitReached | Validation

/** The file of a Post that an event concerns. */
interface PostFile {
  readonly id: UploadOperationId
  readonly postId: PostId
  readonly at: Date
}

/** Seconds after which the author may have made room; only the author can. */
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
 * The files that come with the paid section of a Post (spec 4.3.8). Every method but `keptUntil` and `isKept` runs inside a
 * transaction of the caller that holds the Post, and all changes give the Post a new revision.
 */
export class PostFiles extends Context.Service<
  PostFiles,
  {
    /** Fails if the Post cannot take the file. */
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
    /**
     * Takes a file off the Post. A ready file that a reader may still download is hidden; any other is deleted. The
     * transaction has to hold the Post for update.
     */
    readonly remove: (file: PostFile) => Effect.Effect<void>
    /** Removes a file for good, also from its buyers. */
    readonly drop: (file: PostFile) => Effect.Effect<void>
    /** Returns removed files that may have lost their last reader. */
    readonly keptUntil: (at: Date) => Effect.Effect<ReadonlyArray<KeptFile>>
    /** Returns true while the file is on its Post, or kept for its buyers. */
    readonly isKept: (id: UploadOperationId) => Effect.Effect<boolean>
  }
>()("pennypress/publishing/posts/PostFiles") {
  static readonly layer = Layer.effect(
    PostFiles,
    Effect.gen(function* () {
      const files = yield* postFileStatements
      const finance = yield* PostFinance
      const updatingReaders = yield* makeUpdatingReaders
      const recordUpdate = yield* makeRecordUpdate

      /** Surrounds a change of the files that buyers get. */
      const changing =
        ({ at, postId }: PostFile) =>
        <A>(change: Effect.Effect<A>) =>
          updatingReaders(postId)(Effect.tap(change, () => recordUpdate(postId, ["attachments"], at)))

      const find = Effect.fnUntraced(function* (postId: PostId, fileName: string) {
        const found = yield* files.of(postId, fileName)
        return Option.isSome(found) ? found.value : yield* new NotFound()
      })

      return PostFiles.of({
        check: Effect.fn("PostFiles.check")(function* ({ byteSize, fileName, postId }) {
          const post = yield* find(postId, fileName)
          const refusal = unpaid(post)
          if (refusal !== undefined) return yield* refusal
          if (post.has_name) {
            const message = "The Post already has a file with this name. Remove it first, or rename this one."
            return yield* new Validation({ errors: [{ field: "file", code: "taken", message }] })
          }
          if (post.files >= POST_ATTACHMENTS_MAX || post.bytes + byteSize > POST_ATTACHMENTS_BYTES_MAX)
            return yield* new UploadLimitReached({
              limit: "post_attachments",
              retryAfterSeconds: LIMIT_RETRY_SECONDS
            })
        }),
        add: (file, at) => updatingReaders(file.postId)(files.add(file, at)),
        receive: Effect.fn("PostFiles.receive")(function* ({ at, byteSize, id, postId, sha256 }) {
          const received = { id, byteSize, sha256: Buffer.from(sha256, "hex") }
          if (yield* updatingReaders(postId)(files.receive(received, at))) return
          const post = yield* files.of(postId, "")
          const refusal = Option.isSome(post) ? unpaid(post.value) : undefined
          if (refusal !== undefined) return yield* refusal
        }),
        clear: (file) => changing(file)(files.setReady(file.id, file.at)),
        remove: Effect.fn("PostFiles.remove")(
          function* ({ at, id }) {
            const readers = yield* finance.fileReaders(id, at)
            if (Option.isNone(readers)) return yield* files.drop(id, at)
            const { lastAt, until } = readers.value
            // After the last of them came, by any clock.
            const removedAt = at > lastAt ? at : later(lastAt, 1)
            if (yield* files.hide(id, removedAt, until)) return
            // A file that is already hidden stays for its readers.
            yield* files.keep(id, until)
            yield* files.dropUnready(id, at)
          },
          (removing, file) => changing(file)(removing)
        ),
        drop: (file) => changing(file)(files.drop(file.id, file.at)),
        keptUntil: files.keptUntil,
        isKept: files.exists
      })
    })
  )
}
