import { Effect, Result, Stream } from "effect"
import { UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import { ARCHIVE_BYTES_MAX, mediaTypeOf } from "../../../../schemas/publishing/uploads/limits.ts"
import { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import type { LeaseLost } from "../../../platform/work/lease.ts"
import { Uploads } from "../../uploads/Uploads.ts"
import type { ImportFailure } from "../ImportedItem.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import type { ImportRow } from "../rows/importRow.ts"
import type { Picture, WholeItemRow } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import type { OpenFile } from "./collectPictures.ts"
import { makeEndPictures } from "./endPictures.ts"
import { storedUrlOf } from "./itemTexts.ts"
import { makeHold } from "./staying.ts"

/** The end of a step: the item is done, or the import waits until uploads are finished. */
type Admission = "done" | "waits"

/** Makes the step that makes the collected pictures of an item uploads of its Post, with the ids that its text has, and its attachments. */
export const makeAdmitPictures = Effect.gen(function* () {
  const items = yield* itemStatements
  const uploads = yield* Uploads
  const files = yield* makeImportFiles
  const transactions = yield* Transactions
  const hold = yield* makeHold
  const { end } = yield* makeEndPictures

  /** Returns the upload of a picture or an attachment, with its bytes; undefined when they are gone. */
  const uploadOf = Effect.fnUntraced(function* (
    row: ImportRow,
    { content }: WholeItemRow,
    { format, index, operationId }: Picture,
    file: OpenFile
  ) {
    if (format === null) return undefined
    if (format === "zip") {
      const attachment = content.attachments[index - content.images.length]
      if (attachment === undefined) return undefined
      const bytes = yield* file.pipe(
        Effect.flatMap((open) => open.entry(attachment.entry, ARCHIVE_BYTES_MAX)),
        Effect.catchTag("ImportFailure", () => Effect.undefined)
      )
      if (bytes === undefined) return undefined
      const { name: fileName } = attachment
      return { bytes, kind: "attachment", key: "", sent: { fileName, mediaType: "application/zip" } } as const
    }
    const bytes = yield* Effect.catchTag(
      files.readPicture(row.id, operationId),
      "ObjectNotFound",
      () => Effect.undefined
    )
    if (bytes === undefined) return undefined
    const kind = content.images[index]?.place === "cover" ? "og" : "inline"
    return {
      bytes,
      kind,
      key: kind === "og" ? "" : operationId,
      sent: { mediaType: mediaTypeOf[format] }
    } as const
  })

  /** Admits a picture or an attachment. A repeat finds the upload that it made. */
  const admit = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    picture: Picture,
    file: OpenFile
  ) {
    const { operationId } = picture
    const thing = picture.format === "zip" ? "attachment" : "image"
    const upload = yield* uploadOf(row, item, picture, file)
    if (item.post_id === null || upload === undefined) return `${thing}_missing` as const
    const { bytes, key, kind, sent } = upload
    const admitted = yield* Effect.result(
      uploads.admit(
        publisher,
        {
          target: { kind, id: UploadTargetId.make(item.post_id), key },
          requestKey: `import-${operationId}`,
          revision: undefined,
          requestBytes: bytes.length,
          importedAs: operationId,
          placeUrl: kind === "og" ? storedUrlOf(picture) : null
        },
        Effect.succeed({ ...sent, bytes: Stream.make(bytes) })
      )
    )
    // A process that was killed may still hold the operation. Its bytes have not come then.
    if (Result.isSuccess(admitted))
      return admitted.success.safety.state === "receiving" ? ("waits" as const) : ("admitted" as const)
    switch (admitted.failure._tag) {
      case "UploadLimitReached":
        return "waits" as const
      case "StorageQuotaReached":
        return "storage_full" as const
      case "UploadUnavailable":
        // The import waits, and this counts as no attempt.
        return yield* new StorageUnavailable({ operation: "put", cause: admitted.failure })
      case "MalformedMultipart":
      case "UploadFailed":
        return yield* Effect.die(admitted.failure)
      case "Validation":
        // The Post has a file of this name, as after an earlier import.
        if (admitted.failure.errors.some(({ code }) => code === "taken")) return "attachment_kept" as const
        return `${thing}_refused` as const
      default:
        return `${thing}_refused` as const
    }
  })

  return Effect.fn("Imports.admitPictures")(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    file: OpenFile
  ): Effect.fn.Return<Admission, LeaseLost | Exclude<Effect.Error<OpenFile>, ImportFailure>> {
    const pictures = [...item.pictures]
    for (const [n, picture] of item.pictures.entries()) {
      if (picture.state !== "collected") continue
      const outcome = yield* admit(publisher, row, item, picture, file)
      if (outcome === "waits") {
        yield* transactions.run(hold(row, 0))
        return "waits"
      }
      const isHere = outcome === "admitted" || outcome === "attachment_kept"
      const code = outcome === "admitted" ? picture.code : outcome
      pictures[n] = { ...picture, state: isHere ? "admitted" : "failed", code }
      // Fails after a cancel, so that no other picture comes.
      yield* transactions.run(Effect.andThen(hold(row, 0), items.savePictures(item.id, pictures)))
    }
    yield* end(publisher, row, { ...item, pictures })
    // The uploads have the bytes. What stays after a crash goes with the import, and pictures from the text, which an undo needs.
    for (const { format, index, operationId, state } of pictures) {
      const image = item.content.images[index]
      if (state === "admitted" && format !== "zip" && image !== undefined && !("data" in image.from))
        yield* Effect.ignore(files.removePicture(row.id, operationId))
    }
    return "done"
  })
})
