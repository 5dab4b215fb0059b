import { Effect } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, type PostId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { OperationsQuery } from "../../../schemas/publishing/uploads/OperationsQuery.ts"
import { UploadOperationsRepo } from "./repository/UploadOperationsRepo.ts"
import { savedRequestOf } from "./savedRequest.ts"

/** Finds operations for the lists of their owner. */
export const makeOwnOperations = Effect.gen(function* () {
  const repo = yield* UploadOperationsRepo

  const listOf = Effect.fnUntraced(function* (
    ownerId: OwnerId,
    postId: PostId,
    kind: "image" | "attachment"
  ) {
    const target = UploadTargetId.make(postId)
    if (!(yield* repo.ownsPost(ownerId, target))) return yield* new NotFound()
    return yield* repo.list(ownerId, target, kind)
  })

  return {
    /** Returns the operations of the ZIPs of a Post. */
    attachmentsOf: (ownerId: OwnerId, postId: PostId) => listOf(ownerId, postId, "attachment"),
    /** Returns the operations of images that a query asks for, or the one of a saved request. */
    rowsOf: Effect.fnUntraced(function* ({ ownerId }: PublisherAuthority, query: OperationsQuery) {
      const request = yield* savedRequestOf(query)
      if (request !== undefined) return yield* repo.findByRequest(ownerId, request.requestKey, request.target)
      if (query.postId === undefined) return yield* repo.list(ownerId, UploadTargetId.make(ownerId), "image")
      return yield* listOf(ownerId, query.postId, "image")
    })
  }
})
