import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { lstat, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import { configure, type Entry, type FileEntry } from "@zip.js/zip.js/lib/zip-core-external.js"
import { Effect, Layer } from "effect"
import * as Result from "effect/Result"
import { ToolFailure } from "../../schemas/mcp/ToolFailure.ts"
import { ARCHIVE_BYTES_MAX, UNPACKED_BYTES_MAX } from "../../schemas/publishing/uploads/limits.ts"
import { marked } from "../../src/mcp/local/failures/marked.ts"
import { Archive, type Extracted } from "../../src/mcp/local/ports/Archive.ts"
import { checkArchive, openArchive } from "../../src/publishing/archives/readArchive.ts"

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_RDONLY, O_WRONLY } = constants

const refused = (code: string, message: string) =>
  marked("archive-refused", { fields: [{ field: "archive", code, message }] })

const damaged = () => refused("damaged", "The archive does not unpack to what its directory declares.")

/** Reads an archive that is a regular file of an allowed size. */
const readArchiveFile = async (path: string) => {
  const file = await open(path, O_RDONLY | O_NOFOLLOW)
  try {
    const { size } = await file.stat()
    if (size > ARCHIVE_BYTES_MAX) throw refused("too_large", "The archive has more than 25 MiB.")
    return new Uint8Array(await file.readFile())
  } finally {
    await file.close()
  }
}

const isFile = (entry: Entry): entry is FileEntry => !entry.directory

/** Returns the place of an entry below a directory. Its name was checked: it has no part that leads elsewhere. */
const placeOf = (directory: string, { filename }: Entry) =>
  join(
    directory,
    ...filename
      .normalize("NFC")
      .split("/")
      .filter((part) => part !== "")
  )

/** Writes the unpacked bytes of an entry into a new file, and fails at the first byte that was not declared. */
const unpack = async (entry: FileEntry, path: string, taken: { bytes: number }) => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    let unpacked = 0
    await entry.getData(
      new WritableStream<Uint8Array>({
        write: async (part) => {
          unpacked += part.length
          taken.bytes += part.length
          if (unpacked > entry.uncompressedSize || taken.bytes > UNPACKED_BYTES_MAX) throw damaged()
          await file.writeFile(part)
        }
      })
    )
    if (unpacked !== entry.uncompressedSize) throw damaged()
    await file.sync()
  } finally {
    await file.close()
  }
}

const isThere = async (path: string) => {
  try {
    await lstat(path)
    return true
  } catch {
    return false
  }
}

const directoriesOf = (entries: ReadonlyArray<Entry>) => {
  const directories = new Set<string>()
  for (const { directory, filename } of entries) {
    const parts = filename.split("/").filter((part) => part !== "")
    const depth = directory ? parts.length : parts.length - 1
    for (let length = 1; length <= depth; length++) directories.add(parts.slice(0, length).join("/"))
  }
  return directories.size
}

/** Unpacks all entries into a temporary directory, which gets its final name at the end. */
const extractTo = async (entries: ReadonlyArray<Entry>, directory: string) => {
  const staged = join(dirname(directory), `.${randomUUID()}.part`)
  try {
    await mkdir(staged, { mode: 0o700 })
    const taken = { bytes: 0 }
    for (const entry of entries) {
      const path = placeOf(staged, entry)
      if (isFile(entry)) await unpack(entry, path, taken)
      else await mkdir(path, { recursive: true, mode: 0o700 })
    }
    // Another process may have extracted the same archive meanwhile.
    if (!(await isThere(directory))) await rename(staged, directory)
  } finally {
    await rm(staged, { recursive: true, force: true })
  }
}

const extract = async (path: string, directory: string): Promise<Extracted> => {
  // The inflation of Node itself: it fails at bytes after the end of the data, and waits for its reader.
  configure({ useWebWorkers: false, useCompressionStream: true })
  const bytes = await readArchiveFile(path)
  const checked = await checkArchive(bytes)
  if (Result.isFailure(checked)) throw refused(checked.failure.code, checked.failure.message)
  const { entries } = await openArchive(bytes)
  if (!(await isThere(directory))) await extractTo(entries, directory)
  const files = entries.filter(isFile)
  return {
    directory,
    files: files.length,
    directories: directoriesOf(entries),
    totalBytes: files.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
    paths: files.map(({ filename }) => filename.normalize("NFC"))
  }
}

/** Errors of the file system have a code; all other errors are those of the archive. */
const failureOf = (error: unknown) => {
  if (error instanceof ToolFailure) return error
  return error instanceof Error && "syscall" in error ? marked("state-unavailable") : damaged()
}

/** Takes ZIPs apart with zip.js, by the same rules as the service inspects them. */
export const layer = Layer.succeed(
  Archive,
  Archive.of({
    extract: Effect.fn("ArchiveZip.extract")((path, directory) =>
      Effect.tryPromise({ try: () => extract(path, directory), catch: failureOf })
    )
  })
)
