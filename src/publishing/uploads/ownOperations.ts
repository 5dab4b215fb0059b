import { Effect } from "effect"
import { NotFound, Validation } from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, type PostId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { OperationsQuery } from "../../../schemas/publishing/uploads/OperationsQuery.ts"
import { ownUploadStatements } from "./operation/ownUploads.sql.ts"
import type { UploadTarget } from "./operation/target.ts"

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

const required = (field: string) => ({
  field,
  code: "required",
  message: "Send requestKey, targetKind and targetId together to find one upload."
})

/** Returns the saved request that a query names, or undefined when it names none (spec 4.4.1). */
const savedRequestOf = Effect.fnUntraced(function* ({
  postId,
  requestKey,
  targetId,
  targetKey,
  targetKind
}: OperationsQuery) {
  const isNamed = [requestKey, targetKind, targetId, targetKey].some((it) => it !== undefined)
  if (!isNamed) return undefined
  const isWhole = requestKey !== undefined && targetKind !== undefined && targetId !== undefined
  if (isWhole && postId === undefined) {
    const target: UploadTarget = { kind: targetKind, id: targetId, key: targetKey ?? "" }
    return { requestKey, target }
  }
  const errors = [
    ...(requestKey === undefined ? [required("requestKey")] : []),
    ...(targetKind === undefined ? [required("targetKind")] : []),
    ...(targetId === undefined ? [required("targetId")] : []),
    ...(postId === undefined
      ? []
      : [{ field: "postId", code: "invalid", message: "Send either postId or a saved request." }])
  ]
  return yield* new Validation({ errors })
})
