import { Effect, Stream } from "effect"
import type { ImportId, UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import { ObjectKey, ObjectStorage } from "../../../platform/ports/ObjectStorage.ts"

const PIECE_TYPE = "application/octet-stream"

/** Digits of an offset in a key, so that keys have the order of the file. */
const OFFSET_DIGITS = 12

const folderOf = (id: ImportId) => `imports/${id}/`

const pieceKey = (id: ImportId, offset: number) =>
  ObjectKey.make(`${folderOf(id)}${String(offset).padStart(OFFSET_DIGITS, "0")}`)

const pictureKey = (id: ImportId, picture: UploadOperationId) => ObjectKey.make(`${folderOf(id)}${picture}`)

const PIECE = new RegExp(`/[0-9]{${OFFSET_DIGITS}}$`)

/** The objects of imports: the pieces of the file, and the pictures that wait for their admission. */
export const makeImportFiles = Effect.map(ObjectStorage, (storage) => ({
  /** Stores a piece. An error of the stream is passed on, and nothing is stored. */
  putPiece: <E, R>(id: ImportId, offset: number, bytes: Stream.Stream<Uint8Array, E, R>) =>
    storage.put(pieceKey(id, offset), bytes, { contentType: PIECE_TYPE }),

  /** Returns the bytes of the file, as far as its pieces follow each other. */
  bytes: (id: ImportId) => {
    let offset = 0
    return storage.list(folderOf(id)).pipe(
      Stream.filter((key) => PIECE.test(key)),
      Stream.flatMap((key) =>
        Stream.unwrap(
          Effect.gen(function* () {
            if (key !== pieceKey(id, offset)) return Stream.empty
            const piece = yield* Effect.catchTag(storage.get(key), "ObjectNotFound", () => Effect.undefined)
            if (piece === undefined) return Stream.empty
            offset += piece.size
            return piece.body
          })
        )
      )
    )
  },

  putPicture: (id: ImportId, picture: UploadOperationId, bytes: Uint8Array) =>
    storage.put<never, never>(pictureKey(id, picture), bytes, { contentType: PIECE_TYPE }),

  readPicture: (id: ImportId, picture: UploadOperationId) => storage.read(pictureKey(id, picture)),

  removePicture: (id: ImportId, picture: UploadOperationId) => storage.remove(pictureKey(id, picture)),

  /** Removes everything that an import stored. */
  removeAll: (id: ImportId) => Stream.runForEach(storage.list(folderOf(id)), (key) => storage.remove(key))
}))
