import { Schema } from "effect"
import type { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { UploadLimitReached } from "../../../schemas/publishing/uploads/errors.ts"
import type { TargetKind } from "../../../schemas/publishing/uploads/Upload.ts"
import { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { fileBytesMax } from "../../publishing/uploads/admission/limits.ts"
import type { AdmissionRefusal } from "../../publishing/uploads/Uploads.ts"

/** A file that was not taken, with a sentence for the person who sent it. */
export class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", {
  status: Schema.Int,
  sentence: Schema.String,
  /** True if the next press sends another file, which needs a key of its own. */
  isNewKey: Schema.Boolean
}) {}

/** Returns what people call a file of this kind. */
const nameOf = (kind: TargetKind) => (kind === "attachment" ? "file" : "picture")

const LIMITS: Readonly<Record<UploadLimitReached["limit"], string>> = {
  unfinished_operations:
    "Too many of your files are still being checked. Wait a moment, then choose it again.",
  staged_bytes: "Too many of your files are still being checked. Wait a moment, then choose it again.",
  transfers_per_minute: "You sent too many files in one minute. Wait a minute, then choose it again.",
  transfers_per_day: "You've reached the daily limit on files. Choose it again tomorrow.",
  transfer_bytes_per_day: "You've reached the daily limit on megabytes. Choose it again tomorrow.",
  post_attachments: "A post can have 5 files, with 100 MB in total. Remove one first."
}

const PICTURES: Readonly<Record<string, string>> = {
  unsupported_type: "We can't use this image. Choose a PNG, JPEG, WebP or GIF.",
  mismatch: "We can't use this image. Choose a PNG, JPEG, WebP or GIF.",
  invalid: "This picture is damaged. Open it, save it again, then choose it.",
  out_of_range: "This picture has too many pixels. Make it smaller, then choose it again."
}

const ZIPS: Readonly<Record<string, string>> = {
  unsupported_type: "This isn't a ZIP. Pack your files as a ZIP, then choose it.",
  taken: "The post already has a file with this name. Remove it first, or rename this one."
}

const ended = (sentence: string) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`)

const said = (kind: TargetKind, { code, message }: FieldError): string => {
  if (code === "required") return `Choose a ${nameOf(kind)} first.`
  return (kind === "attachment" ? ZIPS : PICTURES)[code] ?? ended(message)
}

const MEBIBYTE = 1024 * 1024

const refused = (status: number, sentence: string, isNewKey = false) =>
  new FileRefused({ status, sentence, isNewKey })

/** Returns the words for an error of the admission of files. */
export const fileRefusalOf = (
  kind: TargetKind,
  error: Exclude<AdmissionRefusal, NotFound> | RateLimitExceeded
): FileRefused => {
  const name = nameOf(kind)
  if (error instanceof RateLimitExceeded) return refused(429, LIMITS.transfers_per_minute)
  switch (error._tag) {
    case "Validation":
      return refused(422, error.errors.map((it) => said(kind, it)).join(" "))
    case "PayloadTooLarge":
      return refused(
        422,
        `This ${name} is larger than ${fileBytesMax(kind) / MEBIBYTE} MB. Make it smaller, then choose it again.`
      )
    case "UploadLimitReached":
      return refused(429, LIMITS[error.limit])
    case "StorageQuotaReached":
      return refused(
        409,
        "Your account has no space left. Delete drafts or pictures that you no longer need."
      )
    case "UploadConflict":
      return refused(409, `This form has sent another ${name} already. Choose yours again.`, true)
    case "RevisionConflict":
      return refused(409, "The post was changed elsewhere. Save it, then choose the picture again.")
    case "PaidContentRequired":
      return refused(409, "Files come with the part that you sell. Write that part and save it first.")
    case "PaidPostRequired":
      return refused(409, "Files are for buyers. Sell the rest of the post first.")
    case "MalformedMultipart":
      return refused(422, `The ${name} did not arrive completely. Choose it again.`)
    case "UploadUnavailable":
    case "UploadFailed":
      return refused(503, `We can't take a ${name} at the moment. Try again in a minute.`)
  }
}
