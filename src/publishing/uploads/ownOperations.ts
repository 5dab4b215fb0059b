import { Effect } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, type PostId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { OperationsQuery } from "../../../schemas/publishing/uploads/OperationsQuery.ts"
import { ownUploadStatements } from "./operation/ownUploads.sql.ts"
import { savedRequestOf } from "./savedRequest.ts"

/** Finds operations for the lists of their owner. */
export const makeOwnOperations = Effect.gen(function* () {
  const own = yield* ownUploadStatements

  const listOf = Effect.fnUntraced(function* (
    ownerId: OwnerId,
    postId: PostId,
    kind: "image" | "attachment"
  ) {
    const target = UploadTargetId.make(postId)
    if (!(yield* own.ownsPost(ownerId, target))) return yield* new NotFound()
    return yield* own.list(ownerId, target, kind)
  })

  return {
    /** Returns the operations of the ZIPs of a Post. */
    attachmentsOf: (ownerId: OwnerId, postId: PostId) => listOf(ownerId, postId, "attachment"),
    /** Returns the operations of images that a query asks for, or the one of a saved request. */
    rowsOf: Effect.fnUntraced(function* ({ ownerId }: PublisherAuthority, query: OperationsQuery) {
      const request = yield* savedRequestOf(query)
      if (request !== undefined) return yield* own.findByRequest(ownerId, request.requestKey, request.target)
      if (query.postId === undefined) return yield* own.list(ownerId, UploadTargetId.make(ownerId), "image")
      return yield* listOf(ownerId, query.postId, "image")
    })
  }
})
