import { createHash, randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, lstat, open, readdir, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join, relative, resolve, sep } from "node:path"
import { Clock, Duration, Effect, Layer, Stream } from "effect"
import type { FileFormat } from "../../schemas/publishing/uploads/limits.ts"
import { marked } from "../../src/mcp/local/failures/marked.ts"
import { type Allowed, LocalFiles, type SavedFile } from "../../src/mcp/local/ports/LocalFiles.ts"

const begins = (bytes: Uint8Array, place: number, ...expected: ReadonlyArray<number>) =>
  expected.every((byte, index) => bytes[place + index] === byte)

const letters = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0))

/** Returns the format of a file by its first bytes, not by its name; undefined for a format that is not uploaded. */
const formatOf = (bytes: Uint8Array): FileFormat | undefined => {
  if (begins(bytes, 0, 0x89, ...letters("PNG\r\n"), 0x1a, 0x0a)) return "png"
  if (begins(bytes, 0, 0xff, 0xd8, 0xff)) return "jpeg"
  if (begins(bytes, 0, ...letters("RIFF")) && begins(bytes, 8, ...letters("WEBP"))) return "webp"
  if (begins(bytes, 0, ...letters("GIF87a")) || begins(bytes, 0, ...letters("GIF89a"))) return "gif"
  return begins(bytes, 0, ...letters("PK"), 3, 4) ? "zip" : undefined
}

export interface LocalFilesOptions {
  /** Directories from which files are uploaded. */
  readonly roots: ReadonlyArray<string>
  /** Directory of the downloads. */
  readonly downloads: string
}

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants

const READ_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK
const WRITE_FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Runs a use of a file, and closes it. */
const using = async <A>(path: string, flags: number, use: (file: FileHandle) => Promise<A>): Promise<A> => {
  const file = await open(path, flags, 0o600)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

const isInside = (path: string, root: string) => {
  const way = relative(root, path)
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && resolve(root, way) === path
}

/** Reasons for which a file is not read, as codes of the failure's field. */
type Reason = "absent" | "changed" | "kind" | "not-a-file" | "outside" | "too-large" | "unreadable"

/** A path that does not lead to a file which may be read. */
class NotAllowed extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}

/** Reasons for errors of the file system. */
const REASONS: Readonly<Record<string, Reason>> = {
  EACCES: "unreadable",
  EPERM: "unreadable",
  EIO: "unreadable",
  ELOOP: "not-a-file",
  EISDIR: "not-a-file",
  ENXIO: "not-a-file"
}

const reasonOf = (error: unknown): Reason => {
  if (error instanceof NotAllowed) return error.reason
  const { code = "" } = error as NodeJS.ErrnoException
  return REASONS[code] ?? "absent"
}

/** Returns the real place of the nearest part of a path that exists. */
const nearest = async (path: string): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    return dirname(path) === path ? path : await nearest(dirname(path))
  }
}

/** Checks that a file is read from inside of the roots, before an answer says anything about it. */
const requireInside = async (roots: ReadonlyArray<string>, path: string) => {
  if (roots.includes(path)) throw new NotAllowed("not-a-file")
  const directory = await nearest(dirname(path))
  const inside = await Promise.all(
    roots.map(async (root) => {
      const real = await nearest(root)
      return directory === real || isInside(directory, real)
    })
  )
  if (!inside.includes(true)) throw new NotAllowed("outside")
}

/** Reads a regular file within its bound. The file that was opened is the one inside of the roots. */
const readInside = async (roots: ReadonlyArray<string>, path: string, bytesMax: number) => {
  await requireInside(roots, path)
  const there = await lstat(path)
  if (!there.isFile()) throw new NotAllowed("not-a-file")
  return using(path, READ_FLAGS, async (file) => {
    const opened = await file.stat()
    if (opened.dev !== there.dev || opened.ino !== there.ino) throw new NotAllowed("changed")
    if (opened.size > bytesMax) throw new NotAllowed("too-large")
    const real = await realpath(path)
    const inside = await Promise.all(roots.map(async (root) => isInside(real, await nearest(root))))
    if (!inside.includes(true)) throw new NotAllowed("outside")
    // One more byte than declared shows a file that grows.
    const buffer = new Uint8Array(opened.size + 1)
    let size = 0
    while (size < buffer.length) {
      const { bytesRead } = await file.read(buffer, size, buffer.length - size)
      if (bytesRead === 0) break
      size += bytesRead
    }
    if (size !== opened.size) throw new NotAllowed("changed")
    return buffer.subarray(0, size)
  })
}

const syncDirectory = (path: string) => using(path, O_RDONLY, (directory) => directory.sync())

const NAME = /^[0-9a-z-]{1,64}\.zip$/

const PART = /^[0-9a-z-]{1,64}\.zip\.[0-9a-f-]{36}\.part$/

/** Age from which a part belongs to a process that died: a download takes two minutes at most. */
const ABANDONED_MILLIS = Duration.toMillis("10 minutes")

/** Removes the parts of downloads whose process died before this time. */
const removeAbandoned = async (downloads: string, before: number) => {
  for (const name of await readdir(downloads)) {
    if (!PART.test(name)) continue
    const path = join(downloads, name)
    const { mtimeMs } = await lstat(path)
    if (mtimeMs < before) await rm(path, { force: true })
  }
}

const unavailable = () => marked("state-unavailable")

const make = ({ downloads, roots: given }: LocalFilesOptions) => {
  const roots = given.map((root) => resolve(root))
  const [first = "."] = roots

  const refused = (reason: Reason, { bytesMax, formats }: Allowed) => {
    const messages: Readonly<Record<Reason, string>> = {
      absent: `There is no such file; paths are relative to ${first}`,
      changed: "It changed while it was read; try again",
      kind: `By its content it is not one of these: ${formats.join(", ")}`,
      "not-a-file": "It is not a plain file, but a directory, a link or a device",
      outside: `It is outside of the directories from which files are uploaded: ${roots.join(", ")}`,
      "too-large": `It has more than ${bytesMax} bytes`,
      unreadable: "This account may not read it"
    }
    return marked("file-not-allowed", {
      fields: [{ field: "path", code: reason, message: messages[reason] }]
    })
  }

  const placeOf = (name: string) =>
    NAME.test(name) ? Effect.succeed(join(downloads, name)) : Effect.die(new Error("No name of a download"))

  return LocalFiles.of({
    roots,

    read: Effect.fn("LocalFilesNode.read")(function* (path, allowed) {
      const bytes = yield* Effect.tryPromise({
        try: () => readInside(roots, resolve(first, path), allowed.bytesMax),
        catch: (error) => refused(reasonOf(error), allowed)
      })
      const format = formatOf(bytes)
      if (format === undefined || !allowed.formats.includes(format)) return yield* refused("kind", allowed)
      return { bytes, format, fileName: basename(path), sha256: sha256Of(bytes) }
    }),

    save: Effect.fn("LocalFilesNode.save")(function* (name, bytes, { bytesMax, sha256 }) {
      const path = yield* placeOf(name)
      const now = yield* Clock.currentTimeMillis
      // Another process may remove them at the same time.
      yield* Effect.ignore(Effect.tryPromise(() => removeAbandoned(downloads, now - ABANDONED_MILLIS)))
      const temporary = `${path}.${randomUUID()}.part`
      return yield* Effect.gen(function* () {
        const file = yield* Effect.acquireRelease(
          Effect.tryPromise({ try: () => open(temporary, WRITE_FLAGS, 0o600), catch: unavailable }),
          (opened) =>
            Effect.promise(async () => {
              await opened.close()
              // A file to keep has been renamed by now; only the part of any other file is still there.
              await rm(temporary, { force: true })
            })
        )
        const hash = createHash("sha256")
        let byteSize = 0
        yield* Stream.runForEach(bytes, (part) => {
          byteSize += part.length
          if (byteSize > bytesMax) return Effect.fail(marked("response-invalid"))
          hash.update(part)
          return Effect.tryPromise({ try: () => file.writeFile(part), catch: unavailable })
        })
        if (hash.digest("hex") !== sha256) return yield* marked("response-invalid")
        yield* Effect.tryPromise({
          try: async () => {
            await file.sync()
            await rename(temporary, path)
            await syncDirectory(dirname(path))
          },
          catch: unavailable
        })
        return { path, byteSize, sha256 } satisfies SavedFile
      }).pipe(Effect.scoped)
    }),

    saved: Effect.fn("LocalFilesNode.saved")(function* (name, sha256) {
      const path = yield* placeOf(name)
      return yield* Effect.promise(async () => {
        try {
          return await using(path, READ_FLAGS, async (file) => {
            const there = await file.stat()
            const bytes = await file.readFile()
            return there.isFile() && sha256Of(bytes) === sha256
              ? { path, byteSize: bytes.length, sha256 }
              : undefined
          })
        } catch {
          return undefined
        }
      })
    })
  })
}

/** The files of this machine. */
export const layer = (options: LocalFilesOptions) => Layer.sync(LocalFiles, () => make(options))
