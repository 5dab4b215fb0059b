import { Duration, Effect, Layer, Result, Schema, Scope, Semaphore, Stream } from "effect"
import { Base64 } from "effect/encoding"
import {
  ImportedItem,
  ImportFailure,
  type ImportOptions,
  ImportSite
} from "../../src/publishing/imports/ImportedItem.ts"
import {
  ImportReader,
  ImportReaderLost,
  ImportReaderUnavailable,
  type OpenImport,
  type ReaderFailure
} from "../../src/publishing/imports/ImportReader.ts"
import { confinedOptions } from "../process-pool/confinement.ts"
import { startProcess } from "../process-pool/pooledProcess.ts"
import {
  ANSWER_LENGTH_MAX,
  BATCH_ITEMS_MAX,
  BATCH_MILLIS,
  ITEM_MILLIS,
  ReaderAnswer,
  type ReaderQuestion
} from "./readerJobs.ts"
import { removeAbandoned, stagedFile } from "./stagedFile.ts"

// The program lies next to the sources and next to the built files.
const here = (path: string) => new URL(path, import.meta.url)

/** The program of a process. */
export const program = here(`./readerProcess${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`)

const HEAP_MEBIBYTES = 512

/** The options of Node for a process that reads its modules and this file, and nothing else. */
export const nodeOptions = (path: string) => [
  ...confinedOptions({
    from: import.meta.url,
    folders: ["../", "../../schemas/", "../../src/platform/", "../../src/publishing/"].map(here),
    package: "@zip.js/zip.js",
    heapMebibytes: HEAP_MEBIBYTES,
    files: [path]
  })
]

/** Choices of a test. */
export interface Options {
  /** The folder for the files that are being read; they are removed afterwards. */
  readonly directory: string
  readonly program?: URL
  readonly nodeOptions?: (path: string) => ReadonlyArray<string>
  /** Time for one answer. Then the process is killed. */
  readonly deadline?: Duration.Input
  /** Time for an answer with items. A late one makes another process go on with its items one by one. */
  readonly itemsDeadline?: Duration.Input
}

/** The place up to which a file is read. */
interface Place {
  readonly from: number
  readonly slow: ReadonlyArray<number>
  /** The number of next items that are asked for one by one, after a late answer. */
  readonly singles: number
  /** The item that was late alone. A busy machine is late as well, so it is asked for once more. */
  readonly suspect: number | undefined
}

const decodeAnswer = Schema.decodeUnknownEffect(ReaderAnswer)
const decodeItems = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(ImportedItem)))
const decodeSite = Schema.decodeUnknownEffect(Schema.fromJsonString(ImportSite))

const nonsense = new ImportReaderLost({ reason: "crashed", detail: "its message was not an answer" })

const textOf = (base64: string) => Effect.fromResult(Base64.decodeString(base64))

const unavailable = (cause: unknown) => new ImportReaderUnavailable({ cause })

const make = ({
  deadline = Duration.seconds(30),
  itemsDeadline = Duration.millis(BATCH_MILLIS + ITEM_MILLIS),
  directory,
  ...options
}: Options) => {
  const optionsOf = options.nodeOptions ?? nodeOptions

  const opened = Effect.fnUntraced(function* (path: string) {
    const process = yield* Effect.acquireRelease(
      startProcess({
        program: options.program ?? program,
        nodeOptions: optionsOf(path),
        env: { MALLOC_ARENA_MAX: "2", UV_THREADPOOL_SIZE: "2" },
        answerLengthMax: ANSWER_LENGTH_MAX
      }),
      ({ end }) => end
    )
    const none = new Uint8Array()
    // A process does one job at a time, and the pictures of an item are asked for together.
    const { withPermit } = yield* Semaphore.make(1)
    return (question: ReaderQuestion, duration = deadline) =>
      process.ask(question, none).pipe(
        Effect.timeoutOrElse({
          duration,
          orElse: () =>
            Effect.andThen(
              process.end,
              Effect.fail(
                new ImportReaderLost({ reason: "deadline", detail: "it was killed at its deadline" })
              )
            )
        }),
        withPermit,
        Effect.flatMap(({ answer }) => decodeAnswer(answer)),
        Effect.catchTags({
          ProcessesUnavailable: ({ cause }) => Effect.fail(unavailable(cause)),
          ProcessLost: ({ detail, reason }) => Effect.fail(new ImportReaderLost({ detail, reason })),
          SchemaError: () => Effect.fail(nonsense)
        }),
        Effect.filterOrFail(
          (answer) => !("failure" in answer),
          (answer) => ("failure" in answer ? new ImportFailure(answer.failure) : nonsense)
        )
      )
  })

  return ImportReader.of({
    open: Effect.fn("ImportReaderProcess.open")(function* (fileName, bytes) {
      const { byteSize, path, sha256 } = yield* stagedFile(directory, bytes)
      const scope = yield* Effect.scope
      const started = opened(path).pipe(
        Effect.mapError(({ cause }) => unavailable(cause)),
        Effect.provideService(Scope.Scope, scope)
      )
      let ask = yield* started
      // A file that cannot be opened fails when it is read.
      const begun = yield* Effect.cached(Effect.suspend(() => ask({ ask: "open", path, fileName })))

      const reading = Effect.fnUntraced(function* (importOptions: ImportOptions, now: number) {
        const answer = yield* ask({ ask: "read", options: importOptions, now })
        return "reading" in answer ? answer.reading : yield* nonsense
      })

      /** Returns the next items with the place behind them. An answer that is late leaves it to another process. */
      const next = Effect.fnUntraced(function* (
        place: Place,
        again: Effect.Effect<unknown, ReaderFailure>
      ): Effect.fn.Return<readonly [ReadonlyArray<ImportedItem>, Place] | undefined, ReaderFailure> {
        const { from, singles, slow, suspect } = place
        const isSingle = singles > 0
        const asked = yield* Effect.result(ask({ ask: "next", from, slow, isSingle }, itemsDeadline))
        if (Result.isFailure(asked)) {
          const { failure } = asked
          const isLate = failure._tag === "ImportReaderLost" && failure.reason === "deadline"
          // Something other than an item takes long.
          if (!isLate || (isSingle && slow.includes(from))) return yield* failure
          yield* again
          if (!isSingle) return [[], { ...place, singles: BATCH_ITEMS_MAX }]
          return [
            [],
            suspect === from
              ? { from, slow: [...slow, from], singles: 0, suspect: undefined }
              : { ...place, suspect: from }
          ]
        }
        const answer = asked.success
        if (!("items" in answer)) return yield* nonsense
        if (answer.isEnd) return undefined
        const some = yield* textOf(answer.items).pipe(
          Effect.flatMap(decodeItems),
          Effect.mapError(() => nonsense)
        )
        const last = some.at(-1)
        if (last === undefined) return [some, place]
        return [some, { ...place, from: last.ordinal + 1, singles: Math.max(0, singles - some.length) }]
      })

      const open: OpenImport = {
        sha256,
        byteSize,
        read: Effect.fnUntraced(function* (importOptions, now) {
          yield* begun
          const { kind, site, total } = yield* reading(importOptions, now)
          const again = Effect.gen(function* () {
            ask = yield* started
            yield* ask({ ask: "open", path, fileName })
            yield* reading(importOptions, now)
          })
          const decoded = yield* textOf(site).pipe(
            Effect.flatMap(decodeSite),
            Effect.mapError(() => nonsense)
          )
          return {
            kind,
            site: decoded,
            total,
            items: (from) =>
              Stream.filter(
                Stream.unfold({ from, slow: [], singles: 0, suspect: undefined } as Place, (place) =>
                  next(place, again)
                ),
                (some) => some.length > 0
              )
          }
        }),
        entry: Effect.fnUntraced(function* (name, maxBytes) {
          yield* begun
          const answer = yield* ask({ ask: "entry", name, maxBytes })
          if (!("bytes" in answer)) return yield* nonsense
          const decoded = Base64.decode(answer.bytes)
          if (Result.isFailure(decoded) || decoded.success.length > maxBytes) return yield* nonsense
          return decoded.success
        })
      }
      return open
    })
  })
}

/**
 * Reads each file in a process of its own, which may read its modules and that file, write nothing and start nothing. It is
 * killed when an answer is late, and when its caller ends.
 */
export const layer = (options: Options) =>
  Layer.effect(ImportReader, Effect.as(removeAbandoned(options.directory), make(options)))
