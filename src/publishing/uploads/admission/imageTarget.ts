import { Option, Result, Schema } from "effect"
import type { FieldError } from "../../../../schemas/platform/errors/FieldError.ts"
import { type PostId, UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import type { ImageIntent } from "../../../../schemas/publishing/uploads/http.ts"
import { UploadTargetKey } from "../../../../schemas/publishing/uploads/Upload.ts"
import type { UploadTarget } from "../operation/target.ts"

const FIELD = "X-Upload-Target-Key"

const decode = Schema.decodeUnknownOption(UploadTargetKey)

const missing: FieldError = {
  field: FIELD,
  code: "required",
  message:
    "Send the stable key of the place in the text that the image is for. An og image has none: send `intent=og` for one."
}
const forbidden: FieldError = {
  field: FIELD,
  code: "invalid",
  message: "Leave this header out: an og image has no place in the text."
}

/** Returns the error of an intent with this target key. An absent intent means content (spec 4.4). */
const refusalOf = (intent: ImageIntent = "content", key: string): FieldError | undefined => {
  if (intent === "og") return key === "" ? undefined : forbidden
  return key === "" ? missing : undefined
}

/** Target of an image, and the intent that its form must have. */
interface ImageTarget {
  readonly target: UploadTarget
  readonly refuse: (intent: ImageIntent | undefined) => FieldError | undefined
}

/**
 * Returns the purpose of a Post's image before its form is read. The intent of the query decides. Without one, a target
 * key means an inline image. The form, whose fields may follow the file, has to agree.
 */
export const imageTarget = (
  postId: PostId,
  intent: ImageIntent | undefined,
  header: string | undefined
): Result.Result<ImageTarget, FieldError> => {
  const decoded = header === undefined || header.trim() === "" ? Option.some("") : decode(header)
  if (Option.isNone(decoded)) {
    const message = "Send 1 to 255 characters without white space."
    return Result.fail({ field: FIELD, code: "invalid", message })
  }
  const key = decoded.value
  const refusal = intent === undefined ? undefined : refusalOf(intent, key)
  if (refusal !== undefined) return Result.fail(refusal)
  const id = UploadTargetId.make(postId)
  return Result.succeed({
    target: key === "" ? { kind: "og", id, key } : { kind: "inline", id, key },
    refuse: (inForm) => (intent === undefined ? refusalOf(inForm, key) : undefined)
  })
}
