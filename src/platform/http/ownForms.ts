import { ByteSize, Effect, Schema } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { SMALL_BODY_BYTES_MAX } from "../../../schemas/platform/BodyBytesMax.ts"

/** A form that is refused: it comes from another site, has another format, or is too large. */
export class FormRefused extends Schema.TaggedError<FormRefused>()("FormRefused", {
  status: Schema.Literals([400, 403, 413, 415])
}) {}

const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** A browser adds some bytes to each field of a form. */
const FIELDS_MAX = 32

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

/** Makes the effect that reads the form of a request. */
export const makeReadForm = (baseUrl: string) => {
  const { origin } = new URL(baseUrl)

  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (!isOwn(request, origin)) return yield* new FormRefused({ status: 403 })
    if (!FORM.test(request.headers["content-type"] ?? "")) return yield* new FormRefused({ status: 415 })
    const text = yield* request.text.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(SMALL_BODY_BYTES_MAX)),
      Effect.mapError(() => new FormRefused({ status: 413 }))
    )
    const form = new URLSearchParams(text)
    if (form.size > FIELDS_MAX) return yield* new FormRefused({ status: 400 })
    return form
  })
}
