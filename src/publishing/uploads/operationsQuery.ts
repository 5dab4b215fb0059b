import { Effect } from "effect"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import type { PostId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import type { TargetKind } from "../../../schemas/publishing/uploads/Upload.ts"
import type { UploadTarget } from "./operation/operation.ts"

/** A query for operations: those of a Post, those of the Profile, or the one of a saved request. */
export interface OperationsQuery {
  readonly postId?: PostId
  readonly requestKey?: string
  readonly targetKind?: TargetKind
  readonly targetId?: UploadTargetId
  readonly targetKey?: string
}

const required = (field: string) => ({
  field,
  code: "required",
  message: "Send requestKey, targetKind and targetId together to find one upload."
})

/** Returns the saved request that a query names, or undefined when it names none (spec 4.4.1). */
export const savedRequestOf = Effect.fnUntraced(function* ({
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
