import { type FileHandle, open } from "node:fs/promises"
import { configure } from "@zip.js/zip.js/lib/zip-core-external.js"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { readImport } from "../../src/publishing/imports/forms/readImport.ts"
import type { ImportedItem, ImportFailure, ImportFile } from "../../src/publishing/imports/ImportedItem.ts"
import { openImportFile } from "../../src/publishing/imports/openImportFile.ts"
import { serveJobs } from "../process-pool/processJobs.ts"
import {
  BATCH_ITEMS_MAX,
  BATCH_LENGTH_MAX,
  BATCH_MILLIS,
  DATA_LENGTH_MAX,
  MESSAGE_LENGTH_MAX,
  type ReaderAnswer,
  type ReaderQuestion
} from "./readerJobs.ts"

// The inflation of Node itself: it fails at bytes after the end of the data, and waits for its reader.
configure({ useWebWorkers: false, useCompressionStream: true })

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64")

/** Reads parts of an open file. */
const bytesOf = (file: FileHandle, size: number) => ({
  size,
  read: async (offset: number, length: number) => {
    const bytes = new Uint8Array(length)
    const { bytesRead } = await file.read(bytes, 0, length, offset)
    return bytes.subarray(0, bytesRead)
  }
})

const failed = ({ code, message }: ImportFailure): ReaderAnswer => ({
  failure: { code, message: message.slice(0, MESSAGE_LENGTH_MAX).replaceAll(/[^\x20-\x7e]/g, "?") }
})

/** Leaves out pictures of an item that are too large together. */
const withinLength = (item: ImportedItem): ImportedItem => {
  let length = 0
  return {
    ...item,
    images: item.images.map((image) => {
      if (!("data" in image.from)) return image
      length += image.from.data.length
      return length > DATA_LENGTH_MAX ? { ...image, from: { missing: "data:" } } : image
    })
  }
}

let file: ImportFile | undefined
/** Returns the next items, or undefined at the end. */
let next: () => Promise<Result.Result<ReadonlyArray<ImportedItem> | undefined, ImportFailure>> = async () =>
  Result.succeed(undefined)
let waiting: Array<ImportedItem> = []
let ending: ReaderAnswer | undefined
/** The first item that is wanted, and those that take too long. */
let from = 0
let slow: ReadonlySet<number> = new Set()
const leavesOut = (ordinal: number) => ordinal < from || slow.has(ordinal)

const run = <A>(effect: Effect.Effect<A, ImportFailure>) => Effect.runPromise(Effect.result(effect))

const opened = async (path: string, fileName: string): Promise<ReaderAnswer> => {
  const handle = await open(path, "r")
  const { size } = await handle.stat()
  const result = await run(openImportFile(fileName, bytesOf(handle, size)))
  if (Result.isFailure(result)) return failed(result.failure)
  file = result.success
  return { opened: true }
}

const read = async ({ now, options }: Extract<ReaderQuestion, { ask: "read" }>): Promise<ReaderAnswer> => {
  if (file === undefined) throw new Error("No file is open")
  const result = await run(readImport(file, { ...options, leavesOut }, now))
  if (Result.isFailure(result)) return failed(result.failure)
  const { items, kind, site, total } = result.success
  const scope = Scope.makeUnsafe()
  const pull = await Effect.runPromise(Scope.provide(Stream.toPull(items), scope))
  next = () =>
    Effect.runPromise(
      Effect.result(
        pull.pipe(
          Effect.map((some): ReadonlyArray<ImportedItem> | undefined => some),
          Pull.catchDone(() => Effect.undefined)
        )
      )
    )
  return { reading: { kind, site: base64(JSON.stringify(site)), total } }
}

/**
 * Collects items for one answer, which may have none while earlier ones are passed over. A failure waits until the items before
 * it have left.
 */
const batch = async (itemsMax: number): Promise<ReaderAnswer> => {
  const texts: Array<string> = []
  let length = 0
  const end = performance.now() + BATCH_MILLIS
  while (texts.length < itemsMax && length < BATCH_LENGTH_MAX) {
    if (performance.now() >= end) break
    const item = waiting.shift()
    if (item !== undefined) {
      if (item.ordinal < from) continue
      const text = JSON.stringify(withinLength(item))
      texts.push(text)
      length += text.length
      continue
    }
    if (ending !== undefined) break
    const pulled = await next()
    if (Result.isFailure(pulled)) ending = failed(pulled.failure)
    else if (pulled.success === undefined) ending = { items: base64("[]"), isEnd: true }
    else waiting = [...pulled.success]
  }
  if (texts.length === 0 && ending !== undefined) return ending
  return { items: base64(`[${texts.join(",")}]`), isEnd: false }
}

const entry = async (name: string, maxBytes: number): Promise<ReaderAnswer> => {
  if (file === undefined) throw new Error("No file is open")
  const result = await run(file.bytes(name, maxBytes))
  if (Result.isFailure(result)) return failed(result.failure)
  return { bytes: Buffer.from(result.success).toString("base64") }
}

// The program of a process, which has one file; see ImportReaderProcess.
serveJobs<ReaderQuestion>(async (question): Promise<ReaderAnswer> => {
  switch (question.ask) {
    case "open":
      return opened(question.path, question.fileName)
    case "read":
      return read(question)
    case "next":
      from = question.from
      slow = new Set(question.slow)
      return batch(question.isSingle ? 1 : BATCH_ITEMS_MAX)
    case "entry":
      return entry(question.name, question.maxBytes)
  }
})
