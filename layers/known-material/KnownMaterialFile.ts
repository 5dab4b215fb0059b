import { createHash } from "node:crypto"
import { Effect, FileSystem, Layer, Option, Ref, Result, Schema, Semaphore } from "effect"
import { KnownMaterial, KnownMaterialUnavailable } from "../../src/platform/ports/KnownMaterial.ts"
import { readKnownMaterialList, type KnownMaterialList, type ListMalformed } from "./knownMaterialList.ts"

export interface Options {
  /** Path of the list. To change the list, rename a new file over it. */
  readonly path: string
}

/** Maximum bytes of a list, which stays in memory. A million entries have 30 to 100 million bytes. */
const FILE_BYTES_MAX = 1024 * 1024 * 1024

/** Bytes that are read in one turn: below 1 ms. */
const CHUNK_BYTES = 256 * 1024

/** Digits of the SHA-256 of a list that name its edition. */
const VERSION_DIGITS = 16

/** The file cannot be read, or holds no list. */
class FileUnusable extends Schema.TaggedError<FileUnusable>()("FileUnusable", { message: Schema.String }) {}

/** An edition of the file: its list, or the reason why it holds none. */
interface Edition {
  readonly identity: string
  readonly list: Result.Result<KnownMaterialList & { readonly version: string }, ListMalformed>
}

/** Returns another mark whenever the file may hold other bytes. */
const identityOf = ({ dev, ino, mtime, size }: FileSystem.File.Info) =>
  [dev, Option.getOrElse(ino, () => 0n), size, Option.match(mtime, { onNone: () => 0, onSome: Number })].join(
    " "
  )

const make = Effect.fnUntraced(function* ({ path }: Options) {
  const fs = yield* FileSystem.FileSystem
  const last = yield* Ref.make<Edition | undefined>(undefined)
  const turn = yield* Semaphore.make(1)

  const readBytes = Effect.fnUntraced(function* (file: FileSystem.File, size: number) {
    const bytes = Buffer.alloc(size)
    const hash = createHash("sha256")
    for (let offset = 0; offset < size;) {
      const chunk = bytes.subarray(offset, offset + CHUNK_BYTES)
      // An abandoned read would continue in the file that gets the descriptor next.
      const count = Number(yield* Effect.uninterruptible(file.read(chunk)))
      if (count === 0) return yield* new FileUnusable({ message: "the file ended early" })
      hash.update(chunk.subarray(0, count))
      offset += count
      yield* Effect.yieldNow
    }
    return { bytes, version: hash.digest("hex").slice(0, VERSION_DIGITS) }
  })

  const read = Effect.fnUntraced(function* (identity: string, size: number) {
    const file = yield* fs.open(path, { flag: "r" })
    const { bytes, version } = yield* readBytes(file, size)
    if (identityOf(yield* file.stat) !== identity) {
      return yield* new FileUnusable({ message: "the file changed while it was read" })
    }
    const list = yield* Effect.result(readKnownMaterialList(bytes))
    return { identity, list: Result.map(list, ({ match }) => ({ match, version })) } satisfies Edition
  }, Effect.scoped)

  /** Returns the list that the file holds now. */
  const current = Effect.gen(function* () {
    const info = yield* fs.stat(path)
    if (info.type !== "File") return yield* new FileUnusable({ message: "it is not a file" })
    if (Number(info.size) > FILE_BYTES_MAX)
      return yield* new FileUnusable({ message: "the file is too large" })
    const identity = identityOf(info)
    const known = yield* Ref.get(last)
    const edition = known?.identity === identity ? known : yield* read(identity, Number(info.size))
    yield* Ref.set(last, edition)
    return yield* Effect.fromResult(edition.list)
  }).pipe(
    turn.withPermit,
    Effect.mapError((cause) => new KnownMaterialUnavailable({ cause }))
  )

  yield* Effect.forkScoped(Effect.ignore(current, { log: "Warn" }))

  return KnownMaterial.of({
    match: Effect.fn("KnownMaterialFile.match")(function* (material) {
      const { match, version } = yield* current
      return { version, match: yield* match(material) }
    })
  })
})

/** The list of a file, which is read at the start and whenever the file changes. */
export const layer = (options: Options) => Layer.effect(KnownMaterial, make(options))
