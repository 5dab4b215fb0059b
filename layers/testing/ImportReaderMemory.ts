import { configure } from "@zip.js/zip.js/lib/zip-core-external.js"
import { Effect, Layer, Stream } from "effect"
import { Digest } from "effect/crypto"
import { Hex } from "effect/encoding"
import { readImport } from "../../src/publishing/imports/forms/readImport.ts"
import type { ReadImport } from "../../src/publishing/imports/ImportedItem.ts"
import { ImportReader } from "../../src/publishing/imports/ImportReader.ts"
import { openImportFile } from "../../src/publishing/imports/openImportFile.ts"

/** Items of a batch, few enough that a short file has several. */
const BATCH_ITEMS = 10

const joined = (parts: ReadonlyArray<Uint8Array>) => {
  const bytes = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const make = (read: ReadImport) =>
  Effect.map(Digest.Digest, (digests) =>
    ImportReader.of({
      open: Effect.fnUntraced(function* (fileName, bytes) {
        const whole = joined(yield* Stream.runCollect(bytes))
        const sha256 = Hex.encode(yield* digests.digest(Digest.sha256, whole))
        configure({ useWebWorkers: false, useCompressionStream: true })
        const part = (offset: number, length: number) => Promise.resolve(whole.slice(offset, offset + length))
        // A file that cannot be opened fails when it is read, as in a process of its own.
        const opened = yield* Effect.cached(openImportFile(fileName, { size: whole.length, read: part }))
        return {
          sha256,
          byteSize: whole.length,
          entry: (name, maxBytes) => Effect.flatMap(opened, (file) => file.bytes(name, maxBytes)),
          read: Effect.fnUntraced(function* (options, now) {
            const reading = yield* read(yield* opened, options, now)
            return {
              kind: reading.kind,
              site: reading.site,
              total: reading.total,
              items: (from) =>
                reading.items.pipe(
                  Stream.filter(({ ordinal }) => ordinal >= from),
                  Stream.grouped(BATCH_ITEMS)
                )
            }
          })
        }
      })
    })
  )

/** Reads files of imports in this process, by a reader of forms. */
export const layer = (read: ReadImport = readImport) => Layer.effect(ImportReader, make(read))
