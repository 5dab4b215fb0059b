import { Effect, type Scope, Stream } from "effect"
import { HttpServerRequest, Multipart } from "effect/http"
import { MalformedMultipart } from "../../../schemas/publishing/uploads/errors.ts"
import { FormRefused, LONG_FORM_BYTES_MAX } from "../../platform/http/ownForms.ts"
import {
  arriving,
  type FormRefusal,
  openParts,
  type SentFile
} from "../../publishing/uploads/admission/uploadForm.ts"

/** A form whose fields arrived, and whose file is about to. */
export interface FileForm {
  readonly fields: ReadonlyMap<string, string>
  /** Undefined if the browser sent none. */
  readonly file: SentFile | undefined
  /** Bytes of the request that are left for the file. */
  readonly bytes: number
}

/** Fields of a form at most, its file included. */
const PARTS_MAX = 40

const LENGTH = /^\d{1,12}$/

const encoder = new TextEncoder()

/** Sets no limit on the file: its admission refuses it while it arrives, and the fields can be shown again. */
const limitsOf = (maxTotalSize: number) =>
  Multipart.limitsServices({ maxParts: PARTS_MAX, maxFieldSize: LONG_FORM_BYTES_MAX, maxTotalSize })

/** True for a field that is too large, which the refusal takes for a file without its name. */
const isLargeField = (refusal: FormRefusal) =>
  refusal._tag === "Validation" && refusal.errors.some(({ code }) => code === "invalid")

const unreadable = (refusal: FormRefusal) => new FormRefused({ status: isLargeField(refusal) ? 413 : 400 })

/**
 * Reads the fields of a form, up to its file. The file is its last part, so that its bytes can pass from the socket to the
 * store. The sender of the form was checked before.
 */
export const readFileForm = Effect.gen(function* (): Effect.fn.Return<
  FileForm,
  FormRefused,
  HttpServerRequest.HttpServerRequest | Scope.Scope
> {
  const { headers, multipartStream } = yield* HttpServerRequest.HttpServerRequest
  const length = headers["content-length"] ?? ""
  if (!LENGTH.test(length)) return yield* new FormRefused({ status: 400 })
  const parts = Stream.provideContext(multipartStream, limitsOf(Number(length)))
  const { next } = yield* openParts(parts)
  const nextOfFields = Effect.mapError(next, unreadable)
  const fields = new Map<string, string>()
  let bytes = 0
  for (let part = yield* nextOfFields; part !== undefined; part = yield* nextOfFields) {
    if (part._tag === "File") {
      const rest = Effect.flatMap(next, (more) =>
        more === undefined ? Effect.void : Effect.fail(new MalformedMultipart())
      )
      // Browsers guess the media type from the name. The bytes decide, as for a program that sends none.
      const file: SentFile = {
        fileName: part.name,
        mediaType: "",
        bytes: Stream.concat(arriving(part.content), Stream.fromEffectDrain(rest))
      }
      // A field in which nothing was chosen is sent as a file without a name.
      return { fields, file: part.name === "" ? undefined : file, bytes: Number(length) - bytes }
    }
    bytes += encoder.encode(part.value).length
    if (bytes > LONG_FORM_BYTES_MAX) return yield* new FormRefused({ status: 413 })
    fields.set(part.key, part.value)
  }
  return { fields, file: undefined, bytes: 0 }
})
