import {
  type Entry,
  ERR_ENCRYPTED,
  ERR_ENCRYPTED_CENTRAL_DIRECTORY,
  type FileEntry,
  Reader,
  ZipReader
} from "@zip.js/zip.js/lib/zip-core-external.js"
import { Effect } from "effect"
import { ENTRY_DEPTH_MAX, ENTRY_NAME_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { sameNameKey } from "../archives/entryNames.ts"
import { type ImportEntry, ImportFailure, type ImportFile } from "./ImportedItem.ts"

/** Entries of an archive, at most. */
const IMPORT_ENTRIES_MAX = 50_000
/** Bytes of all entries of an archive once they are unpacked, at most. */
const IMPORT_UNPACKED_BYTES_MAX = 2 * 1024 * 1024 * 1024
/** Unpacked bytes of an entry up to which any compression is accepted. */
const UNPACKED_BYTES_FREE = 20 * 1024 * 1024
/** Unpacked bytes for each compressed one beyond that, at most. */
const RATIO_MAX = 250

const METHOD_STORED = 0
const METHOD_DEFLATED = 8

/** The type of a file in the attributes of Unix. */
const FILE_TYPE = 0xf000
const REGULAR = 0x8000
const DIRECTORY = 0x4000
const UNIX = 3

/** Bytes of a file, which is read in parts. */
export interface FileBytes {
  readonly size: number
  readonly read: (offset: number, length: number) => Promise<Uint8Array>
}

const failure = (code: ImportFailure["code"], message: string) => new ImportFailure({ code, message })

const unsafe = (what: string) =>
  failure("unsafe_archive", `The archive has ${what}. Pack the files again with an ordinary program.`)

const damaged = () =>
  failure("damaged", "The archive is damaged. Download it again, or pack the files again.")

const encrypted = () =>
  failure("encrypted", "The archive is encrypted. Pack the files again without a password.")

/** Reads an archive over the bytes of a file. */
class FileReader extends Reader<FileBytes> {
  readonly #bytes: FileBytes
  constructor(bytes: FileBytes) {
    super(bytes)
    this.#bytes = bytes
    this.size = bytes.size
  }
  override readUint8Array(index: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#bytes.read(index, Math.min(length, this.size - index)) as Promise<Uint8Array<ArrayBuffer>>
  }
}

/** Folders and files of systems and tools, which are no part of an export. */
const IGNORED = new Set(["__MACOSX", "node_modules", "Thumbs.db"])

const isIgnored = (parts: ReadonlyArray<string>) =>
  parts.some((part) => IGNORED.has(part) || part.startsWith("."))

// oxlint-disable-next-line no-control-regex -- Names must not have these.
const CONTROL = /[\u0000-\u001f\u007f]/u

/** Returns the parts of the name of an entry. Throws for one that leads out of the archive on some system. */
const partsOf = ({ filename, rawFilename }: Entry): ReadonlyArray<string> => {
  if (rawFilename.length === 0) throw unsafe("an entry without a name")
  if (rawFilename.length > ENTRY_NAME_BYTES_MAX)
    throw unsafe(`an entry whose path has more than ${ENTRY_NAME_BYTES_MAX} bytes`)
  if (filename.includes("\\")) throw unsafe("an entry with a backslash in its name")
  if (filename.startsWith("/") || /^[a-z]:/iu.test(filename))
    throw unsafe("an entry whose path begins with a slash or a drive")
  if (CONTROL.test(filename)) throw unsafe("an entry with a control character in its name")
  const parts = (filename.endsWith("/") ? filename.slice(0, -1) : filename).split("/")
  if (parts.length > ENTRY_DEPTH_MAX) throw unsafe(`an entry within more than ${ENTRY_DEPTH_MAX} folders`)
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw unsafe("an entry whose path climbs out of its folder, or has an empty part")
  return parts
}

const checkEntry = (entry: Entry) => {
  if (entry.encrypted) throw encrypted()
  const { compressedSize, compressionMethod, uncompressedSize } = entry
  if (compressionMethod !== METHOD_STORED && compressionMethod !== METHOD_DEFLATED)
    throw unsafe("an entry in a compression that few programs read")
  if (entry.versionMadeBy >>> 8 === UNIX) {
    const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE
    if (type !== 0 && type !== REGULAR && type !== DIRECTORY) throw unsafe("a link or another special file")
  }
  if (uncompressedSize > UNPACKED_BYTES_FREE && uncompressedSize > compressedSize * RATIO_MAX)
    throw unsafe("an entry that unpacks to far more than its size")
}

const causeOf = (error: unknown): ImportFailure => {
  if (error instanceof ImportFailure) return error
  const message = error instanceof Error ? error.message : ""
  if (message === ERR_ENCRYPTED || message === ERR_ENCRYPTED_CENTRAL_DIRECTORY) return encrypted()
  return damaged()
}

/** Reads the directory of an archive. Returns its files by their names in NFC. */
const filesOf = async (bytes: FileBytes) => {
  const reader = new ZipReader(new FileReader(bytes), {
    strictness: "strict",
    filenameValidation: "tolerant",
    checkOverlappingEntry: true,
    checkSignature: true,
    useWebWorkers: false
  })
  const files = new Map<string, FileEntry>()
  const names = new Set<string>()
  let unpacked = 0
  let entries = 0
  for await (const entry of reader.getEntriesGenerator()) {
    entries += 1
    if (entries > IMPORT_ENTRIES_MAX)
      throw failure(
        "too_many",
        `The archive has more than ${IMPORT_ENTRIES_MAX} entries. Export fewer posts at a time.`
      )
    const parts = partsOf(entry)
    checkEntry(entry)
    if (entry.directory) continue
    unpacked += entry.uncompressedSize
    if (unpacked > IMPORT_UNPACKED_BYTES_MAX)
      throw failure("too_large", "The archive unpacks to more than 2 GiB. Export fewer posts at a time.")
    const name = parts.join("/").normalize("NFC")
    const key = sameNameKey(name)
    if (names.has(key)) throw unsafe("two entries whose names are the same on some systems")
    names.add(key)
    if (!isIgnored(parts)) files.set(name, entry)
  }
  return files
}

/** Inflates an entry, up to a number of bytes. zip.js compares its size and its checksum with the directory. */
const unpack = async (entry: FileEntry, maxBytes: number): Promise<Uint8Array> => {
  const limit = Math.min(entry.uncompressedSize, maxBytes)
  if (entry.uncompressedSize > maxBytes)
    throw failure("too_large", `${entry.filename.slice(0, 100)} has more than ${maxBytes} bytes.`)
  const parts: Array<Uint8Array> = []
  let size = 0
  await entry.getData(
    new WritableStream<Uint8Array>({
      write: (part) => {
        size += part.length
        if (size > limit) throw unsafe("an entry whose size in the directory is not true")
        parts.push(part)
      }
    })
  )
  if (size !== entry.uncompressedSize) throw unsafe("an entry whose size in the directory is not true")
  const bytes = new Uint8Array(size)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Inflates the beginning of an entry. */
const beginningOf = async (entry: FileEntry, maxBytes: number): Promise<Uint8Array> => {
  const enough = new Error("enough")
  const bytes = new Uint8Array(Math.min(maxBytes, entry.uncompressedSize))
  let size = 0
  const inflating = entry.getData(
    new WritableStream<Uint8Array>({
      write: (part) => {
        const taken = part.subarray(0, bytes.length - size)
        bytes.set(taken, size)
        size += taken.length
        if (size === bytes.length && bytes.length < entry.uncompressedSize) throw enough
      }
    })
  )
  try {
    await inflating
  } catch (error) {
    if (size < bytes.length) throw error
  }
  return bytes.subarray(0, size)
}

const missing = (name: string) => failure("damaged", `The archive has no entry ${name.slice(0, 100)}.`)

const LOCAL_HEADER = [0x50, 0x4b, 0x03, 0x04]
const EMPTY_ARCHIVE = [0x50, 0x4b, 0x05, 0x06]

const begins = (bytes: Uint8Array, with_: ReadonlyArray<number>) =>
  with_.every((byte, at) => bytes[at] === byte)

const open = async (fileName: string, bytes: FileBytes): Promise<ImportFile> => {
  const head = await bytes.read(0, Math.min(4, bytes.size))
  if (begins(head, EMPTY_ARCHIVE)) throw failure("empty", "The archive is empty.")
  if (!begins(head, LOCAL_HEADER)) {
    return {
      fileName,
      isArchive: false,
      entries: [{ name: fileName, size: bytes.size }],
      bytes: (name, maxBytes) =>
        Effect.tryPromise({
          try: () => {
            if (name !== fileName) throw missing(name)
            if (bytes.size > maxBytes)
              throw failure("too_large", `The file has more than ${maxBytes} bytes for one of its kind.`)
            return bytes.read(0, bytes.size)
          },
          catch: causeOf
        }),
      head: (name, maxBytes) =>
        Effect.tryPromise({
          try: () => {
            if (name !== fileName) throw missing(name)
            return bytes.read(0, Math.min(bytes.size, maxBytes))
          },
          catch: causeOf
        })
    }
  }
  const files = await filesOf(bytes)
  return {
    fileName,
    isArchive: true,
    entries: [...files].map(([name, { uncompressedSize }]): ImportEntry => ({
      name,
      size: uncompressedSize
    })),
    bytes: (name, maxBytes) =>
      Effect.tryPromise({
        try: () => {
          const entry = files.get(name)
          if (entry === undefined) throw missing(name)
          return unpack(entry, maxBytes)
        },
        catch: causeOf
      }),
    head: (name, maxBytes) =>
      Effect.tryPromise({
        try: () => {
          const entry = files.get(name)
          if (entry === undefined) throw missing(name)
          return beginningOf(entry, maxBytes)
        },
        catch: causeOf
      })
  }
}

/** Opens a file of an author under the limits of archives. The process that calls it has set zip.js up. */
export const openImportFile = (
  fileName: string,
  bytes: FileBytes
): Effect.Effect<ImportFile, ImportFailure> =>
  Effect.tryPromise({ try: () => open(fileName, bytes), catch: causeOf })
