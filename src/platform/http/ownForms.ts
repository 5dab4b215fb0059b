import { ByteSize, Effect, Schema, Stream } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { enteredOf } from "../pages/entered.ts"
import type { FieldBounds, SentForm } from "./SentForm.ts"
import { UrlEncodedForm } from "./UrlEncodedForm.ts"

/** A form that is refused: it comes from another site, has another format, or is too large. */
export class FormRefused extends Schema.TaggedError<FormRefused>()("FormRefused", {
  status: Schema.Literals([400, 403, 413, 415]),
  /** The text that the reader entered; empty for a form that was not read. */
  entered: Schema.String.pipe(Schema.withConstructorDefault(Effect.succeed("")))
}) {}

/** A form that waited for a sign-in, and cannot be used: it was used before, is too old, or belongs to another page. */
export class KeptFormRefused extends Schema.TaggedError<KeptFormRefused>()("KeptFormRefused", {
  /** The text that the reader entered; empty if the form cannot be opened. */
  entered: Schema.String
}) {}

/** Refuses a form with a value that no page of this service makes. The reader gets back what they entered. */
export const unreadable = (form: Pick<SentForm, "entries">): FormRefused =>
  new FormRefused({ status: 400, entered: enteredOf(form.entries) })

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i
const FILE_FORM = /^multipart\/form-data\s*(;|$)/i

/**
 * Bytes of a form, at most: a comment of 2,000 code points, at up to twelve bytes each, or the seal of a form that
 * waited for a sign-in.
 */
export const FORM_BYTES_MAX = 64 * 1024

/**
 * Bytes of a form with the text of a Post, at most: two sections of 200,000 code points, at up to twelve
 * bytes, and the other fields.
 */
export const LONG_FORM_BYTES_MAX = 5 * 1024 * 1024

/** Bytes of the same form of a stranger, at most. They hold the text of an author whose session ended. */
export const STRANGER_FORM_BYTES_MAX = 1_500_000

/**
 * Returns true for a request that a page of this service made. Browsers say so in `Sec-Fetch-Site`; older ones, and
 * those without encryption, name the origin of the page. No form needs a secret of its own, so public pages are the
 * same for every reader.
 */
const isOwn = ({ headers }: HttpServerRequest.HttpServerRequest, origin: string) => {
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin" || site === "none"
  return headers["origin"] === origin
}

const checkSender = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  origin: string,
  type = FORM
) {
  if (!isOwn(request, origin)) return yield* new FormRefused({ status: 403 })
  if (!type.test(request.headers["content-type"] ?? "")) return yield* new FormRefused({ status: 415 })
})

/** Returns the bytes that a request announces; 0 for a body that comes in chunks. */
export const announcedBytes = ({ headers }: HttpServerRequest.HttpServerRequest): number =>
  Number(headers["content-length"] ?? 0)

const checkLength = (request: HttpServerRequest.HttpServerRequest, bytesMax: number) =>
  announcedBytes(request) > bytesMax ? Effect.fail(new FormRefused({ status: 413 })) : Effect.void

/** Makes the function that reads the form of a request within the bounds of its fields. */
export const makeReadForm = (baseUrl: string) => {
  const { origin } = new URL(baseUrl)

  return Effect.fnUntraced(function* <Name extends string>(bounds: FieldBounds<Name> | number) {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* checkSender(request, origin)
    yield* checkLength(request, FORM_BYTES_MAX)
    // The pages of a sign-in read the same body once more.
    const body = yield* request.arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(FORM_BYTES_MAX)),
      Effect.mapError(() => new FormRefused({ status: 413 }))
    )
    const arriving = new UrlEncodedForm(bounds)
    const form = arriving.write(new Uint8Array(body)) ? arriving.end() : undefined
    return form ?? (yield* new FormRefused({ status: 400 }))
  })
}

/** Makes the function that reads the form in which a Post is written. It keeps no byte of a value beyond its bound. */
export const makeReadLongForm = (baseUrl: string) => {
  const { origin } = new URL(baseUrl)

  return Effect.fnUntraced(function* <Name extends string>(
    bounds: FieldBounds<Name>,
    bytesMax: number
  ): Effect.fn.Return<SentForm<Name>, FormRefused, HttpServerRequest.HttpServerRequest> {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* checkSender(request, origin)
    yield* checkLength(request, bytesMax)
    const arriving = new UrlEncodedForm(bounds)
    let bytes = 0
    yield* request.stream.pipe(
      Stream.mapError(() => new FormRefused({ status: 400 })),
      Stream.runForEach((chunk) => {
        bytes += chunk.length
        if (bytes > bytesMax) return Effect.fail(new FormRefused({ status: 413 }))
        return arriving.write(chunk) ? Effect.void : Effect.fail(new FormRefused({ status: 400 }))
      })
    )
    return arriving.end() ?? (yield* new FormRefused({ status: 400 }))
  })
}

/** Returns true for a request with a form that can hold files. */
export const isFileForm = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  FILE_FORM.test(headers["content-type"] ?? "")

/** Makes the effect that checks where a form with a file comes from, before it is read. */
export const makeCheckFileForm = (baseUrl: string) => {
  const { origin } = new URL(baseUrl)

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    checkSender(request, origin, FILE_FORM)
  )
}
