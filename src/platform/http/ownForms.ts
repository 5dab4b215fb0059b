import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { SMALL_BODY_BYTES_MAX } from "../../../schemas/platform/BodyBytesMax.ts"

/** A form that is refused: it comes from another site, has another format, or is too large. */
export class FormRefused extends Schema.TaggedError<FormRefused>()("FormRefused", {
  status: Schema.Literals([400, 403, 413, 415])
}) {}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

const FIELDS_MAX = 32

/** Bytes of a form with the text of a Post: both sections, in which an encoded character takes up to twelve bytes. */
export const LONG_FORM_BYTES_MAX = 8 * 1024 * 1024

/** Returns true for a text with more fields than a form has. It is asked before the text is parsed. */
const hasMoreFields = (text: string) => {
  let fields = 1
  for (let at = text.indexOf("&"); at >= 0 && fields <= FIELDS_MAX; at = text.indexOf("&", at + 1)) fields++
  return fields > FIELDS_MAX
}

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

/** Makes the effect that reads the form of a request, of at most so many bytes. */
export const makeReadForm = (baseUrl: string, bytesMax = SMALL_BODY_BYTES_MAX) => {
  const { origin } = new URL(baseUrl)

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!isOwn(request, origin)) return yield* new FormRefused({ status: 403 })
    if (!FORM.test(request.headers["content-type"] ?? "")) return yield* new FormRefused({ status: 415 })
    const text = yield* request.text.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bytesMax)),
      Effect.mapError(() => new FormRefused({ status: 413 }))
    )
    if (hasMoreFields(text)) return yield* new FormRefused({ status: 400 })
    return new URLSearchParams(text)
  })
}
