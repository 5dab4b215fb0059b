import { Duration, Effect, Layer, Schema } from "effect"
import {
  ArchiveInspectionFailed,
  ArchiveInspector,
  ArchiveInspectorUnavailable,
  ArchiveUnreadable
} from "../../src/platform/ports/ArchiveInspector.ts"
import { confinedOptions } from "../process-pool/confinement.ts"
import { makeProcessPool, type ProcessPoolOptions } from "../process-pool/processPool.ts"

const MEBIBYTE = 1024 * 1024

/** Schema of the answer of a process, which an archive may have taken over. */
const ArchiveAnswer = Schema.Union([
  Schema.Struct({ inspected: Schema.Literal(true) }),
  Schema.Struct({ unreadable: ArchiveUnreadable.fields.reason })
])
type ArchiveAnswer = typeof ArchiveAnswer.Type

// The program lies next to the sources and next to the built files.
const here = (path: string) => new URL(path, import.meta.url)

/** The program of a process. */
export const program = here(`./ArchiveInspectorZipProcess${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`)

/** The options of Node for a process. */
export const nodeOptions = () =>
  confinedOptions({
    from: import.meta.url,
    folders: [
      "../",
      "../../schemas/publishing/uploads/",
      "../../src/publishing/archives/",
      "../../src/publishing/image-formats/shared/"
    ].map(here),
    package: "@zip.js/zip.js"
  })

/** Options of the processes; by default one, with 10 seconds for each archive. */
export type Options = Partial<Pick<ProcessPoolOptions<ArchiveAnswer>, "program" | "deadline" | "nodeOptions">>

const make = Effect.fnUntraced(function* (options: Options) {
  const pool = yield* makeProcessPool({
    program,
    nodeOptions: nodeOptions(),
    env: { MALLOC_ARENA_MAX: "2", UV_THREADPOOL_SIZE: "2" },
    answer: ArchiveAnswer,
    answerLengthMax: 1024,
    processes: 1,
    deadline: Duration.seconds(10),
    jobsPerProcess: 200,
    rssMax: 192 * MEBIBYTE,
    ...options
  })

  return ArchiveInspector.of({
    inspect: Effect.fn("ArchiveInspectorZip.inspect")(function* (bytes) {
      const answer = yield* Effect.catchTags(pool.run({}, bytes), {
        ProcessLost: Effect.fnUntraced(function* ({ detail, reason }) {
          yield* Effect.logWarning(`Lost the process that inspected an archive: ${detail}`)
          return yield* new ArchiveInspectionFailed({ reason })
        }),
        ProcessesUnavailable: ({ cause }) => Effect.fail(new ArchiveInspectorUnavailable({ cause }))
      })
      if ("unreadable" in answer) return yield* new ArchiveUnreadable({ reason: answer.unreadable })
    })
  })
})

/** Unpacks with zip.js in a child process, which the first archive starts, and which is killed at the deadline. */
export const layer = (options: Options = {}) => Layer.effect(ArchiveInspector, make(options))
