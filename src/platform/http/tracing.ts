import { Layer } from "effect"
import { HttpMiddleware, type HttpServerRequest, UrlParams } from "effect/http"

/** A token of the service in a path: `pp`, a letter, `_` and 43 digits. The address of a private feed has one. */
const TOKEN = /\bpp[a-z]_[0-9A-Za-z]{43}\b/

/** The links of mails to readers. Their paths end in a sealed token. */
const LINK = /^\/+subscriptions\/+(?:confirm|end)\//i

const hasSecretPath = ({ url }: HttpServerRequest.HttpServerRequest) => TOKEN.test(url) || LINK.test(url)

/**
 * Leaves secrets out of traces. Links carry tokens in their parameters, whose values are left out. A request with a token
 * in its path is not traced.
 */
export const tracing = Layer.merge(
  Layer.succeed(UrlParams.CurrentRedactedNames, [/token|code|key|secret|email/i]),
  Layer.succeed(HttpMiddleware.TracerDisabledWhen, hasSecretPath)
)
