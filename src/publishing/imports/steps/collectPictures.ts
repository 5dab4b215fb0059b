import { Clock, Effect, Option } from "effect"
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
import { makeHasRoom } from "../rows/diskRoom.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import type { ImportRow } from "../rows/importRow.ts"
import type { Picture, WholeItemRow } from "../rows/itemRow.ts"
import { PictureRefused } from "./PictureRefused.ts"
import { type HostFailures, makeRemoteBytes, unavailable } from "./remoteBytes.ts"

/** Opens the file of the import when the first entry is needed. */
export type OpenFile = Effect.Effect<OpenImport, ReaderFailure | StorageUnavailable>

/** Pictures of an item that are collected at the same time. */
const AT_ONCE = 4

/** Bytes that the pictures of an item have together, at most. They wait in the store until they are admitted. */
const ITEM_BYTES_MAX = 100 * 1024 * 1024

/** Milliseconds for the pictures of an item that are elsewhere: less than a lease. The others wait for another apply. */
const FETCH_MILLIS = 40_000

/** The places from which the pictures of an item come. */
export interface PictureSources {
  readonly file: OpenFile
  /** False for an author who wants no request to another site. */
  readonly fetches: boolean
  /** The address of the old site, which completes paths that the file has no entry for. */
  readonly siteUrl: string | undefined
  readonly failures: HostFailures
}

/** Returns the address of a picture that the file does not hold; null for a path without a site. */
export const addressOf = (from: ItemImage["from"], siteUrl: string | undefined): string | null => {
  if ("url" in from) return from.url
  if (!("missing" in from) || siteUrl === undefined) return null
  const url = URL.parse(from.missing, siteUrl)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

const refuse = (code: PictureRefused["code"], message: string) => new PictureRefused({ code, message })

/**
 * Makes the step that brings the bytes of each picture of an item into the store, and learns its format. Attachments get the
 * ids of their uploads.
 */
export const makeCollectPictures = Effect.gen(function* () {
  const files = yield* makeImportFiles
  const readImage = yield* makeImageReader
  const random = yield* SecureRandom.SecureRandom
  const remoteBytes = yield* makeRemoteBytes
  const hasRoom = yield* makeHasRoom

  const bytesOf = Effect.fnUntraced(function* (
    row: ImportRow,
    { from }: ItemImage,
    stored: Picture | undefined,
    { failures, file, fetches, siteUrl, until }: PictureSources & { readonly until: number }
  ) {
    if ("data" in from) {
      if (stored === undefined)
        return yield* refuse("image_refused", "The picture within the text is damaged or too large.")
      return yield* Effect.catchTag(files.readPicture(row.id, stored.operationId), "ObjectNotFound", () =>
        Effect.fail(refuse("image_missing", "The picture within the text is here no more."))
      )
    }
    if (!("entry" in from)) {
      const url = addressOf(from, siteUrl)
      if (url === null) return yield* refuse("image_missing", "The file does not have the picture.")
      if (!fetches) return yield* refuse("image_unavailable", "You chose to fetch no pictures.")
      return yield* Effect.timeoutOrElse(remoteBytes(url, failures), {
        duration: Math.max(0, until - (yield* Clock.currentTimeMillis)),
        orElse: () => Effect.fail(unavailable("timeout"))
      })
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
    given: PictureSources & { readonly until: number; readonly room: { bytes: number } }
  ) {
    const bytes = yield* bytesOf(row, image, stored, given)
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
    const operationId = UploadOperationId.make(yield* random.uuidV7())
    // The reader may take the bytes over.
    const kept = bytes.slice()
    const read = yield* Effect.mapError(
      readImage(row.owner_id, { parts: [bytes], mediaType: `image/${format}` }),
      ({ message }) => refuse("image_refused", message)
    )
    given.room.bytes -= kept.length
    if (given.room.bytes < 0)
      return yield* refuse("image_refused", "The pictures of a post have at most 100 MiB together.")
    if (!(yield* hasRoom(kept.length)))
      return yield* refuse("image_unavailable", "The service has no room for pictures now: try again later.")
    yield* files.putPicture(row.id, operationId, kept)
    return { operationId, format: read.container.format, bytes: read.bytes.length }
  })

  /** Returns all pictures and attachments of an item. Those that are here stay as they are; those that failed are tried again. */
  return Effect.fn("Imports.collectPictures")(function* (
    row: ImportRow,
    item: WholeItemRow,
    given: PictureSources
  ) {
    const until = (yield* Clock.currentTimeMillis) + FETCH_MILLIS
    const room = { bytes: ITEM_BYTES_MAX }
    const pictures: Array<Picture> = []
    const refusals: Array<{ readonly image: ItemImage; readonly refusal: PictureRefused }> = []
    const collectOne = Effect.fnUntraced(function* (index: number, image: ItemImage) {
      const known = item.pictures.find((it) => it.index === index)
      if (known !== undefined && known.format !== null && known.state !== "failed") {
        pictures[index] = known
        return
      }
      const operationId = known?.operationId ?? UploadOperationId.make(yield* random.uuidV7())
      let code: string | null = null
      const collected = yield* Effect.asSome(collect(row, image, known, { ...given, until, room })).pipe(
        Effect.catchTag("PictureRefused", (refusal) => {
          refusals.push({ image, refusal })
          code = refusal.code
          return Effect.succeedNone
        })
      )
      pictures[index] = Option.match(collected, {
        onSome: (it): Picture => ({ index, ...it, state: "collected", code: null }),
        onNone: (): Picture => ({ index, operationId, state: "failed", format: null, bytes: 0, code })
      })
    })
    yield* Effect.forEach(item.content.images, (image, index) => collectOne(index, image), {
      concurrency: AT_ONCE,
      discard: true
    })
    for (const place of item.content.attachments.keys()) {
      const index = item.content.images.length + place
      const known = item.pictures.find((it) => it.index === index)
      const operationId = known?.operationId ?? UploadOperationId.make(yield* random.uuidV7())
      pictures[index] =
        known?.state === "admitted"
          ? known
          : { index, operationId, state: "collected", format: "zip", bytes: 0, code: null }
    }
    return { pictures, refusals }
  })
})
