import { Effect } from "effect"
import { Validation } from "../../../../schemas/platform/errors/common.ts"
import { ATTACHMENT_NAME_LENGTH_MAX } from "../../../../schemas/publishing/uploads/limits.ts"
import { ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"
import { makeArchiveReader } from "../../archives/archiveReader.ts"
import { beginsLikeArchive, notAnArchive } from "../../archives/readArchive.ts"
import type { ArchiveRefusal } from "../../archives/refusal.ts"
import { joined } from "../../image-formats/shared/bytes.ts"
import { stagingKey } from "../operation/objectKeys.ts"
import type { Operation } from "../operation/operation.ts"
import type { ReceivedFile } from "../operation/settlement.ts"
import { type FileKind, PLACES } from "./fileKind.ts"
import { saidType } from "./mediaType.ts"

const ZIP_TYPE = "application/zip"

/** Media types of a part that may be a ZIP: its own ones, and those that say nothing. */
const TYPES: ReadonlySet<string> = new Set([
  ZIP_TYPE,
  "application/x-zip-compressed",
  "application/octet-stream",
  ""
])

/** Returns the refusal of a ZIP that its part calls by another name. */
const otherType = (mediaType: string): ArchiveRefusal => ({
  code: "unsupported_type",
  message: `The part ${saidType(mediaType)}, and its bytes are a ZIP archive. Send it as ${ZIP_TYPE}.`
})

const refused = ({ code, message }: ArchiveRefusal) =>
  new Validation({ errors: [{ field: "file", code, message }] })

/** ZIP archives: what they declare is checked, and nothing is inflated or shown before they are screened. */
export const makeArchiveKind = Effect.gen(function* () {
  const storage = yield* ObjectStorage
  const readArchive = yield* makeArchiveReader

  const read = Effect.fnUntraced(function* ({ owner_id }: Operation, bytes: Uint8Array) {
    const { sha256 } = yield* Effect.mapError(readArchive(owner_id, bytes), refused)
    const received: ReceivedFile = {
      format: "zip",
      byte_size: bytes.length,
      sha256,
      width: null,
      height: null,
      frames: null,
      copy: null
    }
    return received
  })

  const kind: FileKind = {
    refusal: (mediaType, firstBytes) => {
      if (!beginsLikeArchive(firstBytes)) return refused(notAnArchive)
      return TYPES.has(mediaType) ? undefined : refused(otherType(mediaType))
    },
    stagedType: () => ZIP_TYPE,
    keepCollected: Effect.fnUntraced(function* (operation, parts) {
      const bytes = joined(parts)
      const received = yield* read(operation, bytes)
      const key = stagingKey(operation.id, operation.upload_attempts)
      yield* storage.put<never, never>(key, bytes, { contentType: ZIP_TYPE })
      return received
    }),
    keepStaged: Effect.fnUntraced(function* (operation) {
      const staged = storage.read(stagingKey(operation.id, operation.upload_attempts))
      return yield* read(operation, yield* Effect.catchTag(staged, "ObjectNotFound", Effect.die))
    }),
    // As many as several images, which are much smaller.
    places: PLACES / 2
  }
  return kind
})

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
