import { Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import {
  INLINE_IMAGE_BYTES_MAX,
  TARGET_IMAGE_BYTES_MAX
} from "../../../../schemas/publishing/uploads/limits.ts"
import type { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { makeImageReader } from "../../image-formats/imageReader.ts"
import { formatOfBytes } from "../../image-formats/sniff.ts"
import type { ItemImage } from "../ImportedItem.ts"
import type { OpenImport, ReaderFailure } from "../ImportReader.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import type { ImportRow } from "../rows/importRow.ts"
import type { Picture, WholeItemRow } from "../rows/itemRow.ts"
import { PictureRefused } from "./PictureRefused.ts"
import { remoteBytes } from "./remoteBytes.ts"

/** Opens the file of the import when the first entry is needed. */
export type OpenFile = Effect.Effect<OpenImport, ReaderFailure | StorageUnavailable>

const refuse = (code: PictureRefused["code"], message: string) => new PictureRefused({ code, message })

/** Makes the step that brings the bytes of each picture of an item into the store, and learns its format. */
export const makeCollectPictures = Effect.gen(function* () {
  const files = yield* makeImportFiles
  const readImage = yield* makeImageReader
  const random = yield* SecureRandom.SecureRandom

  const bytesOf = Effect.fnUntraced(function* (
    row: ImportRow,
    { from }: ItemImage,
    stored: Picture | undefined,
    file: OpenFile,
    fetches: boolean
  ) {
    if ("data" in from) {
      if (stored === undefined)
        return yield* refuse("image_refused", "The picture within the text is damaged or too large.")
      return yield* Effect.catchTag(files.readPicture(row.id, stored.operationId), "ObjectNotFound", () =>
        Effect.fail(refuse("image_missing", "The picture within the text is here no more."))
      )
    }
    if ("missing" in from) return yield* refuse("image_missing", "The file does not have the picture.")
    if ("url" in from) {
      if (!fetches) return yield* refuse("image_unavailable", "You chose to fetch no pictures.")
      return yield* remoteBytes(from.url)
    }
    const { entry } = from
    const open = yield* Effect.catchTag(file, "ImportFailure", () =>
      Effect.fail(refuse("image_missing", "The file of the import cannot be opened again."))
    )
    return yield* open
      .entry(entry, INLINE_IMAGE_BYTES_MAX)
      .pipe(
        Effect.catchTag("ImportFailure", ({ code }) =>
          Effect.fail(
            code === "too_large"
              ? refuse("image_refused", "A picture has at most 5 MiB.")
              : refuse("image_missing", "The file does not have the picture, or it is damaged.")
          )
        )
      )
  })

  const collect = Effect.fnUntraced(function* (
    row: ImportRow,
    image: ItemImage,
    stored: Picture | undefined,
    file: OpenFile,
    fetches: boolean
  ) {
    const bytes = yield* bytesOf(row, image, stored, file, fetches)
    const max = image.place === "cover" ? TARGET_IMAGE_BYTES_MAX : INLINE_IMAGE_BYTES_MAX
    if (bytes.length > max)
      return yield* refuse(
        "image_refused",
        image.place === "cover" ? "A card image has at most 2 MiB." : "A picture has at most 5 MiB."
      )
    const format = formatOfBytes(bytes)
    if (format === undefined)
      return yield* refuse(
        "image_refused",
        "The service takes PNG, JPEG, WebP and GIF, and the picture is none of these."
      )
    const operationId =
      stored?.state === "collected" ? stored.operationId : UploadOperationId.make(yield* random.uuidV7())
    // The reader may take the bytes over.
    yield* files.putPicture(row.id, operationId, bytes.slice())
    const read = yield* Effect.mapError(
      readImage(row.owner_id, { parts: [bytes], mediaType: `image/${format}` }),
      ({ message }) => refuse("image_refused", message)
    )
    return { operationId, format: read.container.format, bytes: read.bytes.length }
  })

  /** Returns all pictures of an item. Those that are here stay as they are; those that failed are tried again. */
  return Effect.fn("Imports.collectPictures")(function* (
    row: ImportRow,
    item: WholeItemRow,
    file: OpenFile,
    fetches: boolean
  ) {
    const pictures: Array<Picture> = []
    const refusals: Array<{ readonly image: ItemImage; readonly refusal: PictureRefused }> = []
    for (const [index, image] of item.content.images.entries()) {
      const known = item.pictures.find((it) => it.index === index)
      if (known !== undefined && known.format !== null && known.state !== "failed") {
        pictures.push(known)
        continue
      }
      const collected = yield* Effect.asSome(collect(row, image, known, file, fetches)).pipe(
        Effect.catchTag("PictureRefused", (refusal) => {
          refusals.push({ image, refusal })
          return Effect.succeedNone
        })
      )
      const operationId = known?.operationId ?? UploadOperationId.make(yield* random.uuidV7())
      pictures.push(
        Option.match(collected, {
          onSome: (it): Picture => ({ index, ...it, state: "collected", code: null }),
          onNone: (): Picture => ({
            index,
            operationId,
            state: "failed",
            format: null,
            bytes: 0,
            code: refusals.at(-1)?.refusal.code ?? null
          })
        })
      )
    }
    return { pictures, refusals }
  })
})
