import { Effect } from "effect"
import { Validation } from "../../../../schemas/platform/errors/common.ts"
import { ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"
import { makeArchiveReader } from "../../archives/archiveReader.ts"
import type { SentArchive } from "../../archives/archiveTasks.ts"
import { beginsLikeArchive, notAnArchive } from "../../archives/readArchive.ts"
import type { ArchiveRefusal } from "../../archives/refusal.ts"
import { joined } from "../../image-formats/shared/bytes.ts"
import { stagingKey } from "../operation/objectKeys.ts"
import type { Operation } from "../operation/operation.ts"
import type { ReceivedFile } from "../operation/settlement.ts"
import type { FileKind } from "./fileKind.ts"

const ZIP_TYPE = "application/zip"

/** Media types of a part that may be a ZIP: its own ones, and those that say nothing. */
const TYPES: ReadonlySet<string> = new Set([
  ZIP_TYPE,
  "application/x-zip-compressed",
  "application/octet-stream",
  ""
])

const refused = ({ code, message }: ArchiveRefusal) =>
  new Validation({ errors: [{ field: "file", code, message }] })

/** ZIP archives: what they declare is checked, and nothing is inflated or shown before they are screened. */
export const makeArchiveKind = Effect.gen(function* () {
  const storage = yield* ObjectStorage
  const readArchive = yield* makeArchiveReader

  const read = Effect.fnUntraced(function* ({ owner_id }: Operation, archive: SentArchive) {
    const { length } = archive.bytes
    const { sha256 } = yield* Effect.mapError(readArchive(owner_id, archive), refused)
    const received: ReceivedFile = {
      format: "zip",
      byte_size: length,
      sha256,
      width: null,
      height: null,
      frames: null,
      copy: null
    }
    return received
  })

  const kind: FileKind = {
    refusal: (mediaType, firstBytes) =>
      TYPES.has(mediaType) && beginsLikeArchive(firstBytes) ? undefined : refused(notAnArchive),
    stagedType: () => ZIP_TYPE,
    keepCollected: Effect.fnUntraced(function* (operation, parts) {
      const bytes = joined(parts)
      const received = yield* read(operation, { bytes, isLastUse: false })
      const key = stagingKey(operation.id, operation.upload_attempts)
      yield* storage.put<never, never>(key, bytes, { contentType: ZIP_TYPE })
      return received
    }),
    keepStaged: (operation, bytes) => read(operation, { bytes, isLastUse: true })
  }
  return kind
})
