import {
  type Entry,
  ERR_ENCRYPTED,
  ERR_ENCRYPTED_CENTRAL_DIRECTORY,
  Uint8ArrayReader,
  WARNING_DUPLICATE_FILENAME,
  ZipReader
} from "@zip.js/zip.js/lib/zip-core-external.js"
import * as Result from "effect/Result"
import { ARCHIVE_RECORDS_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { END_BYTES, readEnd, split, withoutZip64 } from "./archiveEnd.ts"
import { checkEntries, checkPacking, type DeclaredEntry, duplicate } from "./archiveEntries.ts"
import { checkExtents } from "./entryExtents.ts"
import {
  EXTRA_UNICODE_COMMENT,
  EXTRA_UNICODE_PATH,
  EXTRA_ZIP64,
  extraFieldsOf,
  hasOtherKind,
  isZip64True
} from "./extraFields.ts"
import { ambiguous, type ArchiveRefusal, contradicted, Refused } from "./refusal.ts"
import { repeatedText } from "./unicodeText.ts"

/** Returns true when a file may be an archive by its first bytes: a local header of an entry, with nothing before it. */
export const beginsLikeArchive = (firstBytes: Uint8Array): boolean =>
  firstBytes.length > 0 &&
  [0x50, 0x4b, 0x03, 0x04].every((byte, place) => place >= firstBytes.length || firstBytes[place] === byte)

/** The refusal of a file that is not an archive. */
export const notAnArchive: ArchiveRefusal = {
  code: "unsupported_type",
  message:
    "The file does not start like a ZIP archive with a file: it may be empty, one of several parts, in another format, or a self-extracting program. Pack the files as one ordinary ZIP."
}

const damaged = () => ambiguous("The archive is damaged, or programs could read it differently.")

/** Returns the refusal that an error of the reader means. All of its checks are about archives that can be read in two ways. */
const refusedBy = (error: unknown): Refused => {
  if (error instanceof Refused) return error
  const { message = "", reason } = error instanceof Error ? (error as Error & { reason?: string }) : {}
  if (message === ERR_ENCRYPTED || message === ERR_ENCRYPTED_CENTRAL_DIRECTORY)
    return new Refused("encrypted", "The archive is encrypted. Pack the files again without a password.")
  if (reason === WARNING_DUPLICATE_FILENAME) return duplicate()
  return damaged()
}

const declared = (entry: Entry): DeclaredEntry => ({
  name: entry.filename,
  rawName: entry.rawFilename,
  flags: entry.rawBitFlag ?? 0,
  method: entry.compressionMethod,
  isEncrypted: entry.encrypted,
  system: entry.versionMadeBy >>> 8,
  attributes: entry.externalFileAttributes,
  compressedBytes: entry.compressedSize,
  unpackedBytes: entry.uncompressedSize
})

const METHOD_STORED = 0
const DOS_DIRECTORY = 0x10

/** Bytes of deflating nothing, at most. Some writers pack directories so. */
const DEFLATED_NOTHING_BYTES_MAX = 5

/** Bytes of a record of the directory without its name, extra area and comment. */
const RECORD_BYTES = 46

const recordBytesOf = ({ rawComment, rawExtraField, rawFilename }: Entry) =>
  RECORD_BYTES + rawFilename.length + rawExtraField.length + rawComment.length

/** Checks that the extra fields of an entry repeat what its record in the directory says. */
const checkExtra = ({
  compressedSize,
  offset,
  rawComment,
  rawExtraField,
  rawFilename,
  uncompressedSize
}: Entry) => {
  const fields = extraFieldsOf(rawExtraField)
  if (fields === undefined)
    throw ambiguous("The archive has damaged or repeated extra fields in its directory.")
  const zip64 = fields.get(EXTRA_ZIP64)
  if (zip64 !== undefined && !isZip64True(zip64, [uncompressedSize, compressedSize, offset]))
    throw contradicted("the sizes or the place of an entry", "in its record and in ZIP64")
  const path = fields.get(EXTRA_UNICODE_PATH)
  if (path !== undefined && repeatedText(path, rawFilename) === undefined)
    throw contradicted("the name of an entry", "in its record and in Unicode")
  const comment = fields.get(EXTRA_UNICODE_COMMENT)
  if (comment !== undefined && repeatedText(comment, rawComment) === undefined)
    throw contradicted("the comment of an entry", "in its record and in Unicode")
  if (hasOtherKind(fields))
    throw contradicted("the kind of an entry", "in its record and in an extra field that few programs read")
}

/** Checks what the record of an entry says twice. */
const checkConsistent = (entry: Entry) => {
  const { compressedSize, uncompressedSize } = entry
  if (entry.diskNumberStart !== 0) throw split()
  checkExtra(entry)
  if (entry.compressionMethod === METHOD_STORED && compressedSize !== uncompressedSize)
    throw contradicted("the size of an uncompressed entry", "as packed and as unpacked")
  // A file with the directory attribute of DOS is a directory to some programs.
  const isDirectory = entry.directory || (entry.externalFileAttributes & DOS_DIRECTORY) !== 0
  if (isDirectory && !entry.filename.endsWith("/"))
    throw contradicted("the kind of an entry", "as a file by its name and as a folder by its attributes")
  if (entry.directory && (uncompressedSize !== 0 || compressedSize > DEFLATED_NOTHING_BYTES_MAX))
    throw ambiguous("The archive has a folder with content of its own.")
}

/** Opens the archive strictly, and returns its entries. Names are checked by our own rules. */
export const openArchive = async (bytes: Uint8Array) => {
  const reader = new ZipReader(new Uint8ArrayReader(withoutZip64(bytes)), {
    strictness: "strict",
    filenameValidation: "tolerant",
    checkOverlappingEntry: true,
    checkSignature: true,
    useWebWorkers: false
  })
  const entries: Array<Entry> = []
  for await (const entry of reader.getEntriesGenerator()) {
    if (entries.length === ARCHIVE_RECORDS_MAX)
      throw new Refused(
        "ambiguous",
        `The archive has more than ${ARCHIVE_RECORDS_MAX} entries. Pack the files into several archives.`
      )
    entries.push(entry)
  }
  if ((reader.warnings ?? []).length > 0) throw damaged()
  return { entries, directoryOffset: reader.directoryOffset ?? 0 }
}

/** Compares the header before the data of an entry with its record in the directory. Inflates nothing. */
const checkLocal = async (entry: Entry) => {
  if (entry.directory) return
  await entry.getData(new WritableStream(), { checkOverlappingEntryOnly: true })
}

const check = async (bytes: Uint8Array) => {
  if (!beginsLikeArchive(bytes) || bytes.length < END_BYTES)
    throw new Refused(notAnArchive.code, notAnArchive.message)
  const directory = readEnd(bytes)
  const { directoryOffset, entries } = await openArchive(bytes)
  // Programs that read the directory by its count, and those that read it by its size, find the same records.
  const recordBytes = entries.reduce((sum, entry) => sum + recordBytesOf(entry), 0)
  if (
    directoryOffset !== directory.offset ||
    recordBytes !== directory.bytes ||
    entries.length !== directory.records
  )
    throw ambiguous("The archive is damaged: its end and its directory do not match.")
  const all = entries.map(declared)
  for (const entry of all) checkPacking(entry)
  for (const entry of entries) checkConsistent(entry)
  checkExtents(
    bytes,
    entries.map((it) => ({
      offset: it.offset,
      name: it.filename,
      rawName: it.rawFilename,
      rawComment: it.rawComment,
      flags: it.rawBitFlag ?? 0,
      method: it.compressionMethod,
      crc32: it.crc32 ?? 0,
      compressedBytes: it.compressedSize,
      unpackedBytes: it.uncompressedSize
    })),
    directoryOffset
  )
  for (const entry of entries) await checkLocal(entry)
  checkEntries(all)
}

/**
 * Reads the directory of a ZIP and the header of each entry, and inflates nothing. Accepts an archive that every program
 * unpacks to the same files, within the limits of what it declares.
 */
export const checkArchive = async (bytes: Uint8Array): Promise<Result.Result<void, ArchiveRefusal>> => {
  try {
    await check(bytes)
    return Result.succeed(undefined)
  } catch (error) {
    return Result.fail(refusedBy(error).refusal)
  }
}
