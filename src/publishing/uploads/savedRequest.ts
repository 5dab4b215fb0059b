import { Effect } from "effect"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import type { OperationsQuery } from "../../../schemas/publishing/uploads/OperationsQuery.ts"
import type { UploadTarget } from "./operation/target.ts"

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
