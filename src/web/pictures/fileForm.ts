import { Cause, Effect, Pull, type Scope, Stream } from "effect"
import { HttpServerRequest, MultipartParser } from "effect/http"
import { MalformedMultipart } from "../../../schemas/publishing/uploads/errors.ts"
import { FORM_BYTES_MAX, FormRefused } from "../../platform/http/ownForms.ts"
import { type FieldBounds, FormFields, type SentForm } from "../../platform/http/SentForm.ts"
import {
  BodyBrokenOff,
  type FormRefusal,
  type SentFile
} from "../../publishing/uploads/admission/uploadForm.ts"

/** A form whose fields arrived, and whose file is about to. */
export interface FileForm<in Name extends string = string> {
  readonly fields: SentForm<Name>
  /** Undefined if the browser sent none. */
  readonly file: SentFile | undefined
  /** Bytes of the request that are left for the file. */
  readonly bytes: number
}

/** Fields of a form at most, its file included. */
const PARTS_MAX = 52

const LENGTH = /^\d{1,12}$/

/** Takes the parts of a form as its bytes arrive. It keeps no byte of a value beyond its bound. */
const partsOf = <Name extends string>(headers: Record<string, string>, bounds: FieldBounds<Name>) => {
  const fields = new FormFields(bounds)
  let bytes = 0
  let name: string | undefined
  let arrived: Array<Uint8Array> = []
  let isRefused = false
  let isWhole = false

  const refuse = () => {
    isRefused = true
  }
  const parser = MultipartParser.make({
    headers,
    maxParts: PARTS_MAX,
    // The bounds are those of the fields, and the admission of the file refuses it while it arrives.
    isFile: () => true,
    onField: refuse,
    onFile: (part) => {
      // The file is the last part.
      if (name !== undefined) refuse()
      else if (MultipartParser.defaultIsFile(part)) {
        name = part.filename ?? ""
        return (chunk) => {
          if (chunk !== null) arrived.push(chunk)
        }
      } else {
        const value = fields.begin(part.name)
        return (chunk) => {
          bytes += chunk?.length ?? 0
          if (chunk !== null) value?.add(chunk)
          else if (value !== undefined) fields.end(part.name, value)
        }
      }
      return () => {}
    },
    onError: refuse,
    onDone: () => {
      isWhole = true
    }
  })

  /** Takes more bytes, or the end. The parser throws on some parts that are malformed. */
  const take = (chunks: ReadonlyArray<Uint8Array> | undefined) => {
    try {
      if (chunks === undefined) parser.end()
      else for (const chunk of chunks) parser.write(chunk)
    } catch {
      refuse()
    }
  }

  return {
    fields,
    take,
    get state() {
      return { bytes, isRefused, isWhole, name }
    },
    /** Returns the bytes of the file that arrived since. */
    takeArrived: () => {
      const chunks = arrived
      arrived = []
      return chunks
    }
  }
}

/**
 * Reads the fields of a form within their bounds, up to its file. The file is its last part, so that its bytes can pass from the
 * socket to the store. The sender of the form was checked before. `bytesMax` holds for the fields together.
 */
export const readFileForm = Effect.fnUntraced(function* <Name extends string>(
  bounds: FieldBounds<Name>,
  bytesMax = FORM_BYTES_MAX
): Effect.fn.Return<FileForm<Name>, FormRefused, HttpServerRequest.HttpServerRequest | Scope.Scope> {
  const { headers, stream } = yield* HttpServerRequest.HttpServerRequest
  const length = headers["content-length"] ?? ""
  if (!LENGTH.test(length)) return yield* new FormRefused({ status: 400 })
  const parts = partsOf({ "content-type": headers["content-type"] ?? "" }, bounds)
  const pull = yield* Stream.toPull(Stream.mapError(stream, () => new BodyBrokenOff()))
  let received = 0
  const more: Effect.Effect<void, BodyBrokenOff> = pull.pipe(
    Effect.map((chunks) => {
      for (const chunk of chunks) received += chunk.length
      parts.take(chunks)
    }),
    Pull.catchDone(() => Effect.sync(() => parts.take(undefined)))
  )
  while (parts.state.name === undefined && !parts.state.isWhole) {
    if (received > bytesMax) return yield* new FormRefused({ status: 413 })
    yield* Effect.mapError(more, () => new FormRefused({ status: 400 }))
    const { bytes, isRefused, name } = parts.state
    if (bytes > bytesMax) return yield* new FormRefused({ status: 413 })
    // After the beginning of the file, its admission tells what is wrong, and the fields can be shown again.
    if (isRefused && name === undefined) return yield* new FormRefused({ status: 400 })
  }
  const { bytes, name } = parts.state
  const fields = parts.fields.form
  if (name === undefined) return { fields, file: undefined, bytes: 0 }
  const rest: Pull.Pull<readonly [Uint8Array, ...Array<Uint8Array>], FormRefusal> = Effect.suspend(() => {
    const { isRefused, isWhole } = parts.state
    if (isRefused) return Effect.fail(new MalformedMultipart())
    const [first, ...others] = parts.takeArrived()
    if (first !== undefined) return Effect.succeed([first, ...others] as const)
    return isWhole ? Cause.done() : Effect.andThen(more, rest)
  })
  // Browsers guess the media type from the name. The bytes decide, as for a program that sends none.
  const file: SentFile = { fileName: name, mediaType: "", bytes: Stream.fromPull(Effect.succeed(rest)) }
  // A field in which nothing was chosen is sent as a file without a name.
  return { fields, file: name === "" ? undefined : file, bytes: Number(length) - bytes }
})
