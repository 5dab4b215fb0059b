import { existsSync, realpathSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Duration, Effect, Layer, Schema } from "effect"
import { REPRESENTATIONS_MAX } from "../../schemas/publishing/uploads/limits.ts"
import {
  ImageDecodingFailed,
  ImageDecoder,
  ImageDecoderUnavailable,
  ImageUnreadable
} from "../../src/platform/ports/ImageDecoder.ts"
import { makeProcessPool, type ProcessPoolOptions } from "../process-pool/processPool.ts"
import type { ImageQuestion } from "./ImageDecoderSharpProcess.ts"

const MEBIBYTE = 1024 * 1024

const hex = (digits: number) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-f]{${digits}}$`, "u")))

/** What a process says, which is believed of its shape alone: what it decodes may have taken it over. */
const ImageAnswer = Schema.Union([
  Schema.Struct({
    inspected: Schema.Struct({
      frames: Schema.Int.check(Schema.isGreaterThan(0)),
      representations: Schema.Array(Schema.Struct({ pixels: hex(64), perceptual: hex(16) })).check(
        Schema.isMinLength(1),
        Schema.isMaxLength(REPRESENTATIONS_MAX)
      )
    })
  }),
  Schema.Struct({ unreadable: ImageUnreadable.fields.reason })
])
type ImageAnswer = typeof ImageAnswer.Type

// Beside the sources as beside what is built from them.
const here = (path: string) => new URL(path, import.meta.url)
const program = here(`./ImageDecoderSharpProcess${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`)

/** Where sharp and what it needs are looked for, and where links lead to. */
const modules = () => {
  const { resolve } = createRequire(import.meta.url)
  const sharp = realpathSync(resolve("sharp"))
  const real = /^.*?[/\\]node_modules[/\\]/u.exec(sharp)?.[0] ?? sharp
  return [real, ...(resolve.paths("sharp") ?? []).filter((folder) => existsSync(folder))]
}

/**
 * A process may read its program and the packages, and write nothing, start nothing; Node 24 cannot refuse it the network.
 * That holds its JavaScript alone, and not libvips. Pixels are not counted in the memory of its JavaScript.
 */
const nodeOptions = () => {
  const readable = [
    ...["../", "../../schemas/publishing/uploads/", "../../src/publishing/image-formats/"].map((path) =>
      fileURLToPath(here(path))
    ),
    ...modules()
  ]
  const confined = ["--permission", "--allow-addons", ...readable.map((path) => `--allow-fs-read=${path}`)]
  return [
    "--max-old-space-size=64",
    "--disallow-code-generation-from-strings",
    ...(process.allowedNodeEnvironmentFlags.has("--permission") ? confined : [])
  ]
}

/** Few arenas and threads keep the memory of a process that decodes one image after another from growing. */
const env = { MALLOC_ARENA_MAX: "2", UV_THREADPOOL_SIZE: "2" }

/** What may be chosen of the processes; two with 20 seconds for each image unless told. */
export type Options = Partial<
  Pick<
    ProcessPoolOptions<ImageAnswer>,
    "program" | "processes" | "deadline" | "jobsPerProcess" | "rssMax" | "nodeOptions"
  >
>

const make = Effect.fnUntraced(function* (options: Options) {
  const pool = yield* makeProcessPool({
    program,
    nodeOptions: nodeOptions(),
    env,
    answer: ImageAnswer,
    processes: 2,
    deadline: Duration.seconds(20),
    jobsPerProcess: 500,
    rssMax: 256 * MEBIBYTE,
    ...options
  })

  return ImageDecoder.of({
    inspect: Effect.fn("ImageDecoderSharp.inspect")(function* (bytes, format) {
      const question: ImageQuestion = { format }
      const answer = yield* Effect.catchTags(pool.run(question, bytes), {
        ProcessLost: Effect.fnUntraced(function* ({ detail, reason }) {
          yield* Effect.logWarning(`An image cost a decoder: ${detail}`)
          return yield* new ImageDecodingFailed({ reason })
        }),
        ProcessesUnavailable: ({ cause }) => Effect.fail(new ImageDecoderUnavailable({ cause }))
      })
      if ("unreadable" in answer) return yield* new ImageUnreadable({ reason: answer.unreadable })
      return answer.inspected
    })
  })
})

/**
 * Decodes with sharp, in processes of their own that are started by the first image, kept warm, and killed when one takes
 * longer than the deadline on the caller's clock: libvips holds to no time-out and cannot be stopped in a thread.
 */
export const layer = (options: Options = {}) => Layer.effect(ImageDecoder, make(options))
