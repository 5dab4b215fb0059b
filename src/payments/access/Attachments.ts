import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { PostAccess, PostAttachments } from "../../../schemas/payments/access/Access.ts"
import type { AttachmentPending } from "../../../schemas/payments/access/errors.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type PostId, type UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { DependencyUnavailable } from "../../platform/ports/DependencyUnavailable.ts"
import { type ByteRange, ObjectStorage, type StoredObject } from "../../platform/ports/ObjectStorage.ts"
import { keptPath } from "../../publishing/uploads/operation/objectKeys.ts"
import { accessStatements } from "./access.sql.ts"
import { pending } from "./postSale.ts"

/** A file that is ready for its buyers. */
export interface ReadyFile {
  readonly postId: PostId
  readonly id: UploadOperationId
  readonly fileName: string
  readonly byteSize: number
  /** In hex. */
  readonly sha256: string
}

/** The files of Posts, for callers who may read the Posts or pay for them. */
export class Attachments extends Context.Service<
  Attachments,
  {
    /** Returns the files of a public Post. */
    readonly list: (postId: PostId) => Effect.Effect<PostAttachments, NotFound>
    /** Returns the file that an answer of `Access` names. */
    readonly fileOf: (
      access: PostAccess,
      id: UploadOperationId
    ) => Effect.Effect<ReadyFile, NotFound | AttachmentPending>
    /** Opens a file, or a part of it, for as long as the scope lasts. */
    readonly open: (
      file: ReadyFile,
      range: ByteRange | undefined
    ) => Effect.Effect<StoredObject, NotFound, Scope.Scope>
  }
>()("pennypress/payments/access/Attachments") {
  static readonly layer = Layer.effect(
    Attachments,
    Effect.gen(function* () {
      const repo = yield* accessStatements
      const storage = yield* ObjectStorage

      return Attachments.of({
        list: Effect.fn("Attachments.list")(function* (postId) {
          const files = yield* repo.files(postId)
          return Option.isSome(files) ? files.value : yield* new NotFound()
        }),
        fileOf: Effect.fnUntraced(function* ({ post }, id) {
          const file = post.attachments.find((it) => it.id === id)
          if (file === undefined) return yield* new NotFound()
          const { byteSize, fileName, sha256, state } = file
          if (state !== "ready" || sha256 === null) return yield* pending()
          return { postId: post.id, id, fileName, byteSize, sha256 }
        }),
        open: ({ id, postId }, range) =>
          storage.get(keptPath({ id, target_id: UploadTargetId.make(postId) }, "zip"), { range }).pipe(
            Effect.catchTags({
              // Removed after the database was asked.
              ObjectNotFound: () => Effect.fail(new NotFound()),
              StorageUnavailable: () => Effect.die(new DependencyUnavailable({ dependency: "storage" }))
            })
          )
      })
    })
  )
}
