import { Context, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  NotFound,
  PayloadTooLarge,
  Unavailable,
  Validation
} from "../../../../schemas/platform/errors/common.ts"
import { ImportId } from "../../../../schemas/platform/Ids.ts"
import type { OwnerAuthority, PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import {
  ImportInProgress,
  ImportOffset,
  ImportStateRefused
} from "../../../../schemas/publishing/imports/errors.ts"
import type {
  Import,
  ImportPage,
  ImportRequest,
  ImportsQuery
} from "../../../../schemas/publishing/imports/Import.ts"
import { IMPORTS_DEFAULT } from "../../../../schemas/publishing/imports/limits.ts"
import { IdempotencyMismatch } from "../../../../schemas/publishing/posts/errors.ts"
import { Owners } from "../../../accounts/owners/Owners.ts"
import { Cursors } from "../../../platform/cursors/Cursors.ts"
import { makePageAfter } from "../../../platform/cursors/pageAfter.ts"
import { Idempotency } from "../../../platform/idempotency/Idempotency.ts"
import { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { type Quota, type RateLimitExceeded, RateLimits } from "../../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import { makeHasRoom } from "../rows/diskRoom.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import { importOf, type ImportRow, stateOf } from "../rows/importRow.ts"
import { importStatements, IMPORTS } from "../rows/imports.sql.ts"
import { lifetimeMillis } from "../rows/importState.ts"
import { pieceOf } from "./contentRange.ts"
import { makeLockFor } from "./lockFor.ts"

const MEBIBYTE = 1024 * 1024

/** Files of the largest size whose bytes an account has here, at most. */
const FILES_HELD_MAX = 2

const isStorageUnavailable = (error: unknown): error is StorageUnavailable =>
  error instanceof StorageUnavailable

/** Passes bytes on up to a bound, so that no more are stored. Fails with `beyond` at the first byte after it. */
const upTo = <E, Beyond>(bytes: Stream.Stream<Uint8Array, E>, max: number, beyond: Beyond) => {
  let length = 0
  return Stream.mapEffect(bytes, (chunk) => {
    length += chunk.length
    return length > max ? Effect.fail(beyond) : Effect.succeed(chunk)
  })
}

/** Refuses a body that has another length than it said. */
const wrongLength = (found: string, said: number) =>
  new Validation({
    errors: [
      { field: "Content-Length", code: "mismatch", message: `The body has ${found} bytes: send ${said}` }
    ]
  })

/** The time for which an Idempotency-Key names one import. */
const KEY_MILLIS = DAY_MILLIS

/** An import, and whether an earlier request with the same key began it. */
export interface Begun {
  readonly value: Import
  readonly replayed: boolean
}

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([ImportId]))

/** The headers of a request that carries bytes of a file. */
export interface PieceHeaders {
  readonly range: string | undefined
  readonly contentLength: number
}

/**
 * Imports of an author: files of posts from elsewhere. Each is one row, which a worker takes from its file to its items, and
 * from items to drafts. Another's import is not found.
 */
export class Imports extends Context.Service<
  Imports,
  {
    /** Begins an import, once for each Idempotency-Key. An account has one under way. */
    readonly begin: (
      publisher: PublisherAuthority,
      request: ImportRequest,
      idempotencyKey: string,
      onCounted?: (quota: Quota) => Effect.Effect<void>
    ) => Effect.Effect<
      Begun,
      IdempotencyMismatch | ImportInProgress | PayloadTooLarge | RateLimitExceeded | Unavailable
    >
    /**
     * Stores bytes of the file that follow those that are here. The last one starts the reading. An error of the bytes is passed
     * on, and nothing is stored.
     */
    readonly sendFile: <E>(
      publisher: PublisherAuthority,
      id: ImportId,
      headers: PieceHeaders,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<Import, E | NotFound | ImportOffset | ImportStateRefused | Unavailable | Validation>
    /**
     * Stores the bytes of a file whose size is not known before its end, and starts the reading: the file of a form. A broken
     * transfer leaves an import that waits for its file.
     */
    readonly sendWhole: <E>(
      publisher: PublisherAuthority,
      id: ImportId,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<Import, E | NotFound | ImportStateRefused | PayloadTooLarge | Unavailable | Validation>
    readonly read: (publisher: PublisherAuthority, id: ImportId) => Effect.Effect<Import, NotFound>
    /** Lists the imports of an account, newest first. */
    readonly list: (
      authority: OwnerAuthority | PublisherAuthority,
      query: ImportsQuery
    ) => Effect.Effect<ImportPage, Validation>
    /** Deletes an import with its file. Its drafts and what is known of their sources stay. */
    readonly remove: (
      publisher: PublisherAuthority,
      id: ImportId
    ) => Effect.Effect<void, NotFound | ImportInProgress>
    /** Makes the removal of imports due to which nothing happened for long. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/publishing/imports/service/Imports") {
  static readonly layer = Layer.effect(
    Imports,
    Effect.gen(function* () {
      const imports = yield* importStatements
      const files = yield* makeImportFiles
      const owners = yield* Owners
      const idempotency = yield* Idempotency
      const rateLimits = yield* RateLimits
      const transactions = yield* Transactions
      const cursors = yield* Cursors
      const pageAfter = yield* makePageAfter(decodePosition)
      const random = yield* SecureRandom.SecureRandom
      const hasRoom = yield* makeHasRoom
      const { importFileMb } = yield* Settings
      const lock = yield* makeLockFor
      const { ring } = (yield* Doorbells).bell(IMPORTS)

      const tooLarge = new PayloadTooLarge({
        detail: `A file has at most ${importFileMb} MiB here. Export fewer posts at a time, or leave the pictures out.`
      })
      const tooMuch = new PayloadTooLarge({
        detail: "The files of your earlier imports take all the room. Delete an import that you need no more."
      })
      const notStored = new Unavailable({ detail: "The piece was not stored: send it again." })

      const admitToDisk = Effect.fnUntraced(function* (byteSize: number) {
        if (!(yield* hasRoom(byteSize)))
          return yield* new Unavailable({
            detail: "The service has no room for this file now. Try again later."
          })
      })

      const insert = Effect.fnUntraced(function* (
        { ownerId }: PublisherAuthority,
        id: ImportId,
        { byteSize, fileName, kind, options = {} }: ImportRequest,
        at: Date,
        onCounted: (quota: Quota) => Effect.Effect<void>
      ) {
        const quota = yield* rateLimits.consume("import", ownerId)
        if (Option.isSome(quota)) yield* onCounted(quota.value)
        if (byteSize > importFileMb * MEBIBYTE) return yield* tooLarge
        yield* admitToDisk(byteSize)
        yield* owners.lock(ownerId)
        const other = yield* imports.underWay(ownerId)
        if (Option.isSome(other)) return yield* new ImportInProgress({ importId: other.value.id })
        const { bytes } = yield* imports.storedBytes(ownerId)
        if (bytes + byteSize > FILES_HELD_MAX * importFileMb * MEBIBYTE) return yield* tooMuch
        yield* rateLimits.consume("imports-day", ownerId)
        return yield* imports.insert({
          id,
          ownerId,
          fileName,
          byteSize,
          options: kind === undefined ? options : { ...options, kind },
          at,
          expiresAt: later(at, lifetimeMillis("awaiting_file"))
        })
      })

      const find = Effect.fnUntraced(function* ({ ownerId }: PublisherAuthority, id: ImportId) {
        const row = yield* imports.find(ownerId, id)
        return Option.isSome(row) ? row.value : yield* new NotFound()
      })

      return Imports.of({
        begin: Effect.fn("Imports.begin")(function* (
          publisher,
          request,
          idempotencyKey,
          onCounted = () => Effect.void
        ) {
          const id = ImportId.make(yield* random.uuidV7())
          const begun = yield* idempotency
            .once(
              {
                scope: "import",
                scopeId: publisher.ownerId,
                idempotencyKey,
                intent: request,
                resourceId: id,
                lifetimeMillis: KEY_MILLIS,
                // A repeat gets the import as it is now.
                keep: () => null,
                kept: Schema.Null
              },
              (at) => insert(publisher, id, request, at, onCounted)
            )
            .pipe(Effect.catchTag("IntentChanged", () => Effect.fail(new IdempotencyMismatch())))
          if (!begun.replayed) return { value: importOf(begun.value), replayed: false }
          const row = yield* imports.find(publisher.ownerId, ImportId.make(begun.resourceId))
          if (Option.isNone(row))
            return yield* new IdempotencyMismatch({
              detail: "The import of this key was deleted: send a new Idempotency-Key"
            })
          return { value: importOf(row.value), replayed: true }
        }),

        sendFile: Effect.fn("Imports.sendFile")(function* <E>(
          publisher: PublisherAuthority,
          id: ImportId,
          headers: PieceHeaders,
          bytes: Stream.Stream<Uint8Array, E>
        ) {
          const row = yield* find(publisher, id)
          const piece = pieceOf(headers.range, headers.contentLength, row.byte_size)
          if (Result.isFailure(piece)) return yield* new Validation({ errors: [piece.failure] })
          const refuse = Effect.fnUntraced(function* (current: ImportRow) {
            const state = stateOf(current)
            if (state !== "awaiting_file")
              return yield* new ImportStateRefused({
                state,
                detail: "The import takes no more bytes: its file is here, or it has ended."
              })
            return yield* new ImportOffset({
              received: current.received,
              detail: `The import has ${current.received} bytes: send the piece that begins there.`
            })
          })
          const { bytes: length, offset } = piece.success
          if (row.state !== "awaiting_file" || row.received !== offset) return yield* refuse(row)
          yield* admitToDisk(length)
          const { size } = yield* files
            .putPiece(id, offset, upTo(bytes, length, wrongLength(`more than ${length}`, length)))
            .pipe(Effect.catchIf(isStorageUnavailable, () => Effect.fail(notStored)))
          if (size !== length) return yield* wrongLength(String(size), length)
          const at = yield* now
          const received = yield* imports.receive({
            owner: publisher.ownerId,
            id,
            offset,
            bytes: length,
            at,
            expiresAt: later(at, lifetimeMillis("awaiting_file"))
          })
          if (Option.isNone(received)) return yield* refuse(yield* find(publisher, id))
          if (received.value.state === "reading") yield* ring
          return importOf(received.value)
        }),

        sendWhole: Effect.fn("Imports.sendWhole")(function* <E>(
          publisher: PublisherAuthority,
          id: ImportId,
          bytes: Stream.Stream<Uint8Array, E>
        ) {
          const row = yield* find(publisher, id)
          if (row.state !== "awaiting_file") return importOf(row)
          const { size } = yield* files
            .putPiece(id, 0, upTo(bytes, row.byte_size, tooLarge))
            .pipe(Effect.catchIf(isStorageUnavailable, () => Effect.fail(notStored)))
          if (size === 0)
            return yield* new Validation({
              errors: [{ field: "file", code: "required", message: "The file is empty: choose another one" }]
            })
          const at = yield* now
          const received = yield* imports.receiveWhole({
            owner: publisher.ownerId,
            id,
            bytes: size,
            at,
            expiresAt: later(at, lifetimeMillis("awaiting_file"))
          })
          if (Option.isSome(received)) yield* ring
          return importOf(Option.isSome(received) ? received.value : yield* find(publisher, id))
        }),

        read: Effect.fn("Imports.read")((publisher, id) => Effect.map(find(publisher, id), importOf)),

        list: Effect.fn("Imports.list")(function* ({ ownerId }, { cursor, limit = IMPORTS_DEFAULT }) {
          const list = `imports ${ownerId}`
          const after = yield* pageAfter(list, cursor)
          const rows = yield* imports.slice(ownerId, after, limit)
          const last = rows.length > limit ? rows[limit - 1] : undefined
          const nextCursor = last === undefined ? null : yield* cursors.make(list, [last.id])
          return {
            data: rows.slice(0, limit).map(importOf),
            pagination: { limit, nextCursor, hasMore: nextCursor !== null }
          }
        }),

        remove: Effect.fn("Imports.remove")(
          function* (publisher, id) {
            const row = yield* lock(publisher, id, "remove")
            const at = yield* now
            yield* imports.setState(id, "removing", at, later(at, lifetimeMillis(stateOf(row))))
            yield* ring
          },
          (removing, _, id) =>
            Effect.catchTag(transactions.run(removing), "ImportStateRefused", () =>
              Effect.fail(
                new ImportInProgress({
                  importId: id,
                  detail: "The import works: cancel it before you delete it."
                })
              )
            )
        ),

        sweep: Effect.gen(function* () {
          if (yield* imports.expire(yield* now)) yield* ring
        })
      })
    })
  )
}
