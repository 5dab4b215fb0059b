import {
  ARCHIVE_DIRECTORIES_MAX,
  ARCHIVE_FILES_MAX,
  COMPRESSION_RATIO_MAX,
  UNPACKED_BYTES_FREE,
  UNPACKED_BYTES_MAX
} from "../../../schemas/publishing/uploads/limits.ts"
import { partsOf, sameNameKey } from "./entryNames.ts"
import { PACK_AGAIN, Refused } from "./refusal.ts"
import { isUtf8, lettersOf } from "./unicodeText.ts"

/** An entry, as the directory of the archive declares it. */
export interface DeclaredEntry {
  /** Its name in Unicode, by the best that the archive says. */
  readonly name: string
  readonly rawName: Uint8Array
  readonly flags: number
  readonly method: number
  readonly isEncrypted: boolean
  /** System of its writer, which says how to read the attributes. */
  readonly system: number
  /** External attributes: the file mode of Unix in the upper half, attributes of DOS in the lower one. */
  readonly attributes: number
  readonly compressedBytes: number
  readonly unpackedBytes: number
}

const FLAG_ENCRYPTED = 0x1
const FLAG_PATCH = 0x20
const FLAG_STRONG = 0x40
const FLAG_UTF8 = 0x800
const FLAG_MASKED = 0x2000
const METHOD_STORED = 0
const METHOD_DEFLATED = 8
const METHOD_AES = 99
const MODE_TYPE = 0xf000
const MODE_DIRECTORY = 0x4000
const MODE_REGULAR = 0x8000

/** Attributes of DOS: the name of a disk, which some programs leave out. */
const DOS_VOLUME_LABEL = 0x8
/** Attributes of Windows: a link, which some programs make of it. */
const DOS_LINK = 0x400

/** The system whose modes have other bits for a directory. */
const SYSTEM_AMIGA = 1

/** Checks how an entry is packed. */
export const checkPacking = ({ flags, isEncrypted, method }: DeclaredEntry): void => {
  if (isEncrypted || method === METHOD_AES || (flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED)) !== 0)
    throw new Refused("encrypted", "The archive is encrypted. Pack the files again without a password.")
  if ((method !== METHOD_STORED && method !== METHOD_DEFLATED) || (flags & FLAG_PATCH) !== 0)
    throw new Refused(
      "unsupported_method",
      "The archive has a file that is compressed by another method than Deflate, such as Deflate64, LZMA or Zstandard. Pack the files again with the method Deflate."
    )
}

const notRegular = () =>
  new Refused(
    "not_regular",
    "The archive has an entry that is neither a file nor a folder, such as a link. Pack the files again with a copy of the file that the link points to."
  )

const checkType = ({ attributes, name, system }: DeclaredEntry) => {
  if (system === SYSTEM_AMIGA && attributes >>> 16 !== 0)
    throw new Refused(
      "ambiguous",
      "The archive has file modes of an Amiga, which some programs misread. Pack the files again on another system."
    )
  if ((attributes & (DOS_VOLUME_LABEL | DOS_LINK)) !== 0) throw notRegular()
  const type = (attributes >>> 16) & MODE_TYPE
  if (type !== 0 && type !== (name.endsWith("/") ? MODE_DIRECTORY : MODE_REGULAR)) throw notRegular()
}

/** Returns the refusal of two entries that have one place. */
export const duplicate = (): Refused =>
  new Refused(
    "duplicate_name",
    "Two files or folders of the archive have the same name, at least on systems that ignore case. Rename or remove one, and pack the files again."
  )

const checkSizes = (files: ReadonlyArray<DeclaredEntry>) => {
  const unpacked = files.reduce((sum, it) => sum + it.unpackedBytes, 0)
  const compressed = files.reduce((sum, it) => sum + it.compressedBytes, 0)
  if (unpacked > UNPACKED_BYTES_MAX)
    throw new Refused(
      "too_large_unpacked",
      "The archive unpacks to more than 100 MiB. Pack the files into several archives."
    )
  if (unpacked > UNPACKED_BYTES_FREE && unpacked > compressed * COMPRESSION_RATIO_MAX)
    throw new Refused(
      "ratio",
      `The archive unpacks to more than ${COMPRESSION_RATIO_MAX} times its size. Pack the files again without compression, into several archives if one is too large.`
    )
}

/** Returns the key of every directory on the way to an entry. */
const ancestorsOf = (parts: ReadonlyArray<string>) =>
  parts.slice(0, -1).map((_, depth) => sameNameKey(parts.slice(0, depth + 1).join("/")))

/** Names of all entries, as one kind of program reads them. */
type Names = ReadonlyArray<{ readonly name: string; readonly rawName: Uint8Array }>

/** Checks that programs unpack these names to places of their own within one directory, and counts the places. */
const checkPlaces = (names: Names) => {
  const files = new Set<string>()
  const named = new Set<string>()
  const directories = new Set<string>()
  for (const { name, rawName } of names) {
    const parts = partsOf(name, rawName)
    const key = sameNameKey(parts.join("/"))
    if (files.has(key) || named.has(key)) throw duplicate()
    if (name.endsWith("/")) {
      named.add(key)
      directories.add(key)
    } else files.add(key)
    for (const ancestor of ancestorsOf(parts)) directories.add(ancestor)
  }
  for (const directory of directories) if (files.has(directory)) throw duplicate()
  return { files: files.size, directories: directories.size }
}

/** Checks all entries of an archive together. Throws {@link Refused}. */
export const checkEntries = (entries: ReadonlyArray<DeclaredEntry>): void => {
  const others = entries.filter(({ rawName }) => !isUtf8(rawName))
  if (others.some(({ flags }) => (flags & FLAG_UTF8) !== 0))
    throw new Refused(
      "unsafe_name",
      `The archive has a name that is not UTF-8, although it is marked as UTF-8. ${PACK_AGAIN}`
    )
  const { directories, files } = checkPlaces(entries)
  // A program that does not know the code page of a name reads its bytes as other letters.
  if (others.length > 0)
    checkPlaces(
      entries.map(({ name, rawName }) => ({ name: isUtf8(rawName) ? name : lettersOf(rawName), rawName }))
    )
  for (const entry of entries) checkType(entry)
  if (files === 0)
    throw new Refused("no_files", "The archive has no files. Add one, and pack the files again.")
  if (files > ARCHIVE_FILES_MAX)
    throw new Refused(
      "too_many_files",
      `The archive has more than ${ARCHIVE_FILES_MAX} files. Pack them into several archives.`
    )
  if (directories > ARCHIVE_DIRECTORIES_MAX)
    throw new Refused(
      "too_many_directories",
      `The archive has more than ${ARCHIVE_DIRECTORIES_MAX} folders. Pack them into several archives.`
    )
  checkSizes(entries.filter((it) => !it.name.endsWith("/")))
}
