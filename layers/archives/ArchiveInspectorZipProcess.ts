import { configure } from "@zip.js/zip.js/lib/zip-core-external.js"
import * as Result from "effect/Result"
import { checkArchive, openArchive } from "../../src/publishing/archives/readArchive.ts"
import { serveJobs } from "../process-pool/processJobs.ts"

// The inflation of Node itself: it fails at bytes after the end of the data, and waits for its reader.
configure({ useWebWorkers: false, useCompressionStream: true })

/** The archive is not what its directory declares, or does not unpack. */
class Unreadable extends Error {}

/** Takes the unpacked bytes of an entry, and fails at the first byte that was not declared. */
const nowhere = (declared: number) => {
  let unpacked = 0
  return new WritableStream<Uint8Array>({
    write: (chunk) => {
      unpacked += chunk.length
      if (unpacked > declared) throw new Unreadable()
    }
  })
}

/** Inflates every entry and keeps nothing. zip.js compares its size and checksum with the directory. */
const unpack = async (bytes: Uint8Array) => {
  const { entries } = await openArchive(bytes)
  for (const entry of entries) {
    if (!entry.directory) await entry.getData(nowhere(entry.uncompressedSize))
  }
}

// Errors of the machine rather than the archive.
const isShortage = (cause: unknown) => /out of memory|allocat/iu.test(String(cause))

// The program of a process; see ArchiveInspectorZip. The limits hold here, too: screening may know others than admission.
serveJobs<object>(async (_, bytes) => {
  if (Result.isFailure(await checkArchive(bytes))) return { unreadable: "inconsistent" }
  try {
    await unpack(bytes)
    return { inspected: true }
  } catch (cause) {
    if (isShortage(cause)) throw cause
    return { unreadable: "damaged" }
  }
})
