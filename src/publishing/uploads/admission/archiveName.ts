import { Effect } from "effect"
import { Validation } from "../../../../schemas/platform/errors/common.ts"
import { ATTACHMENT_NAME_LENGTH_MAX } from "../../../../schemas/publishing/uploads/limits.ts"

const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex -- Names must not have these.
  /[/\\:\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u

/** The form's parser puts this character in the place of bytes that are not UTF-8. */
const REPLACEMENT = "\ufffd"

/** Returns the name of an attachment as it is kept: in NFC, and with no character that moves or hides others. */
export const archiveName = Effect.fnUntraced(function* (sent: string) {
  const name = sent.normalize("NFC")
  const message =
    [...name].length > ATTACHMENT_NAME_LENGTH_MAX
      ? `Send a file name of at most ${ATTACHMENT_NAME_LENGTH_MAX} characters.`
      : name.includes(REPLACEMENT)
        ? "Send the file name in UTF-8, without the replacement character U+FFFD."
        : FORBIDDEN.test(name)
          ? "Send a file name without slashes, colons and control characters."
          : !/[^.\s].*\.zip$/iu.test(name)
            ? "Send a file name that ends in `.zip`."
            : undefined
  if (message === undefined) return name
  return yield* new Validation({ errors: [{ field: "file", code: "invalid_name", message }] })
})
