import { Duration, Effect, Layer, Schema } from "effect"
import {
  FACE_WIDTH,
  type ImageFormat,
  REPRESENTATIONS_MAX,
  VARIANT_BYTES_MAX,
  VARIANT_WIDTHS
} from "../../schemas/publishing/uploads/limits.ts"
import {
  ImageDecodingFailed,
  ImageDecoder,
  ImageDecoderUnavailable,
  ImageUnreadable
} from "../../src/platform/ports/ImageDecoder.ts"
import { confinedOptions } from "../process-pool/confinement.ts"
import { makeProcessPool, type ProcessPoolOptions } from "../process-pool/processPool.ts"
import type { ImageQuestion } from "./ImageDecoderSharpProcess.ts"

const MEBIBYTE = 1024 * 1024

const hex = (digits: number) =>
  Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-f]{${digits}}$`, "u")))

/** Returns the number of characters of these bytes in base64. */
const base64Length = (bytes: number) => 4 * Math.ceil(bytes / 3)

const Inspected = Schema.Struct({
  inspected: Schema.Struct({
    frames: Schema.Int.check(Schema.isGreaterThan(0)),
    representations: Schema.Array(Schema.Struct({ pixels: hex(64), perceptual: hex(16) })).check(
      Schema.isMinLength(1),
      Schema.isMaxLength(REPRESENTATIONS_MAX)
    )
  })
})

const Scaled = Schema.Struct({
  scaled: Schema.Array(
    Schema.Struct({
      width: Schema.Literals([FACE_WIDTH, ...VARIANT_WIDTHS]),
      webp: Schema.String.check(Schema.isMaxLength(base64Length(VARIANT_BYTES_MAX)))
    })
  ).check(Schema.isMaxLength(1 + VARIANT_WIDTHS.length))
})

/** Schema of the answer of a process, which an image may have taken over. */
const ImageAnswer = Schema.Union([
  Inspected,
  Scaled,
  Schema.Struct({ unreadable: ImageUnreadable.fields.reason })
])
type ImageAnswer = typeof ImageAnswer.Type

// The program lies next to the sources and next to the built files.
const here = (path: string) => new URL(path, import.meta.url)
const program = here(`./ImageDecoderSharpProcess${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`)

/** The options of Node for a process. Its heap does not count pixels. */
const nodeOptions = () =>
  confinedOptions({
    from: import.meta.url,
    folders: ["../", "../../schemas/publishing/uploads/", "../../src/publishing/image-formats/"].map(here),
    package: "sharp",
    addons: true
  })

/** Few arenas and threads keep the memory of a process from growing with each image. */
const env = { MALLOC_ARENA_MAX: "2", UV_THREADPOOL_SIZE: "2" }

/** Options of the processes; by default two, with 20 seconds for each image. */
export type Options = Partial<
  Pick<
    ProcessPoolOptions<ImageAnswer>,
    "program" | "processes" | "deadline" | "jobsPerProcess" | "rssMax" | "nodeOptions"
  >
>

/** A process answered another question than it was asked. */
const otherAnswer = new ImageDecodingFailed({ reason: "crashed" })

const make = Effect.fnUntraced(function* (options: Options) {
  const pool = yield* makeProcessPool({
    program,
    nodeOptions: nodeOptions(),
    env,
    answer: ImageAnswer,
    answerLengthMax: (1 + VARIANT_WIDTHS.length) * base64Length(VARIANT_BYTES_MAX) + 64 * 1024,
    processes: 2,
    deadline: Duration.seconds(20),
    jobsPerProcess: 500,
    rssMax: 256 * MEBIBYTE,
    ...options
  })

  const ask = Effect.fnUntraced(function* (
    task: ImageQuestion["task"],
    bytes: Uint8Array,
    format: ImageFormat,
    widths: ReadonlyArray<number> = VARIANT_WIDTHS
  ) {
    const question: ImageQuestion = { task, format, widths }
    const answer = yield* Effect.catchTags(pool.run(question, bytes), {
      ProcessLost: Effect.fnUntraced(function* ({ detail, reason }) {
        yield* Effect.logWarning(`Lost the process that decoded an image: ${detail}`)
        return yield* new ImageDecodingFailed({ reason })
      }),
      ProcessesUnavailable: ({ cause }) => Effect.fail(new ImageDecoderUnavailable({ cause }))
    })
    return "unreadable" in answer ? yield* new ImageUnreadable({ reason: answer.unreadable }) : answer
  })

  return ImageDecoder.of({
    inspect: Effect.fn("ImageDecoderSharp.inspect")(function* (bytes, format) {
      const answer = yield* ask("inspect", bytes, format)
      return "inspected" in answer ? answer.inspected : yield* otherAnswer
    }),
    scale: Effect.fn("ImageDecoderSharp.scale")(function* (bytes, format, widths) {
      const answer = yield* ask("scale", bytes, format, widths)
      if (!("scaled" in answer)) return yield* otherAnswer
      return answer.scaled.map(({ webp, width }) => ({ width, webp: Buffer.from(webp, "base64") }))
    })
  })
})

/**
 * Decodes with sharp in child processes. The first image starts them, and they are killed at the deadline: libvips
 * exceeds its own time-out and cannot be stopped in a thread.
 */
export const layer = (options: Options = {}) => Layer.effect(ImageDecoder, make(options))
