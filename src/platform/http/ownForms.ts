import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { inTurn } from "./longBody.ts"
import { parseLongForm } from "./longForm.ts"

/** A form that is refused: it comes from another site, has another format, or is too large. */
export class FormRefused extends Schema.TaggedError<FormRefused>()("FormRefused", {
  status: Schema.Literals([400, 403, 413, 415])
}) {}

/** A form that waited for a sign-in, and cannot be used: it was used before, is too old, or belongs to another page. */
export class KeptFormRefused extends Schema.TaggedError<KeptFormRefused>()("KeptFormRefused", {
  /** The text that the reader entered; empty if the form cannot be opened. */
  entered: Schema.String
}) {}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i
const FILE_FORM = /^multipart\/form-data\s*(;|$)/i

const FIELDS_MAX = 32

/**
 * Bytes of a form, at most: a comment of 2,000 code points, each of which takes up to twelve bytes, or the seal of a form that
 * waited for a sign-in.
 */
const FORM_BYTES_MAX = 64 * 1024

/**
 * Bytes of a form with the text of a Post, at most: two sections of 200,000 code points, each of which takes up to twelve
 * bytes, and the other fields.
 */
export const LONG_FORM_BYTES_MAX = 5 * 1024 * 1024

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

/** Reads a body of at most so many bytes. */
const bounded = <A, E>(body: Effect.Effect<A, E>, bytesMax: number) =>
  body.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax)),
    Effect.mapError(() => new FormRefused({ status: 413 }))
  )

/** Makes the effect that reads the form of a request. */
export const makeReadForm = (baseUrl: string) => {
  const { origin } = new URL(baseUrl)

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* checkSender(request, origin)
    const form = new URLSearchParams(yield* bounded(request.text, FORM_BYTES_MAX))
    return form.size > FIELDS_MAX ? yield* new FormRefused({ status: 400 }) : form
  })
}

/** Makes the effect that reads the form in which a Post is written. */
export const makeReadLongForm = (baseUrl: string) => {
  const { origin } = new URL(baseUrl)

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* checkSender(request, origin)
    const body = yield* bounded(request.arrayBuffer, LONG_FORM_BYTES_MAX)
    const form = yield* inTurn(
      body.byteLength,
      Effect.sync(() => parseLongForm(new Uint8Array(body), FIELDS_MAX))
    )
    return form ?? (yield* new FormRefused({ status: 400 }))
  })
}

/** Returns true for a form with a file. */
export const hasFile = ({ headers }: HttpServerRequest.HttpServerRequest): boolean =>
  FILE_FORM.test(headers["content-type"] ?? "")

/** Makes the effect that checks where a form with a file comes from, before it is read. */
export const makeCheckFileForm = (baseUrl: string) => {
  const { origin } = new URL(baseUrl)

  return Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
    checkSender(request, origin, FILE_FORM)
  )
}
