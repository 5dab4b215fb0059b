import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"
import { Screening } from "../../screening/Screening.ts"
import { type ScreenedFile, ScreeningBroke } from "../../screening/verdict.ts"
import { makeStagedFiles } from "../admission/stagedFile.ts"
import { keptPath } from "../operation/objectKeys.ts"
import { type Operation } from "../operation/operation.ts"
import type { Decision } from "../operation/settlement.ts"
import { isAttachment } from "../operation/target.ts"

const broke = (message: string) =>
  new ScreeningBroke({ reason: "unsupported or incomplete inspection", cause: new Error(message) })

/** Screens files: the bytes that were received, or the object that stays once they are cleaned up. */
export const makeScreen = Effect.gen(function* () {
  const files = yield* makeStagedFiles
  const storage = yield* ObjectStorage
  const digests = yield* Digest.Digest
  const screening = yield* Screening

  const fileOf = Effect.fn("Uploads.fileOf")(function* (operation: Operation) {
    const { format, sha256, staged_bytes } = operation
    if (format === null || sha256 === null) return yield* broke("Nothing was received")
    // Known material is known by the file that was received.
    const copied = Effect.map(storage.read(keptPath(operation, format)), (bytes): ScreenedFile => ({
      bytes,
      sha256,
      format
    }))
    if (staged_bytes === 0) return yield* copied
    const staged = Effect.gen(function* () {
      const bytes = yield* files.read(operation)
      if (sha256 !== (yield* digests.digestHex(Digest.sha256, bytes)))
        return yield* broke("The staged bytes are not those that were received")
      return { bytes, sha256, format }
    })
    // A cleanup may have removed the staged file when the image was to be screened once more.
    return yield* Effect.catchTag(staged, "ObjectNotFound", () => copied)
  })

  return Effect.fn("Uploads.screen")(function* (operation: Operation) {
    const { verdict, ...record } = yield* screening.screen(yield* fileOf(operation))
    const decision: Decision = {
      verdict,
      reason: verdict === "failed" ? "unsupported or incomplete inspection" : null,
      detail: verdict === "failed" ? detailOf(operation, record.finding) : null,
      record
    }
    return decision
  })
})

/** Explains to the author why a file failed. What an engine found is for operators alone. */
const detailOf = (operation: Operation, finding: string | null) =>
  (isAttachment(operation) ? archiveDetails : imageDetails).find(([start]) =>
    finding?.startsWith(start)
  )?.[1] ?? null

const imageDetails: ReadonlyArray<readonly [finding: string, detail: string]> = [
  [
    "image: too_many_representations",
    "The image shows more than 128 distinct frames; at most 128 are supported. Shorten it and upload the new file."
  ],
  [
    "image: too_many_pixels",
    "The image has more pixels than its header says; it cannot be decoded. Save it again and upload the new file."
  ],
  [
    "image: undecodable",
    "The image is damaged: its pixels cannot be decoded. Save it again and upload the new file."
  ],
  ["incomplete: ", "The malware scanner could not inspect the whole image. Save it in another format."]
]

const archiveDetails: typeof imageDetails = [
  [
    "archive: ",
    "The archive does not unpack to what its directory says. Pack it again and upload the new file."
  ],
  [
    "incomplete: ",
    "The malware scanner could not inspect the whole archive. Pack it without encrypted or damaged files."
  ]
]
