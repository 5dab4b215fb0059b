import { Context, type Effect, Schema } from "effect"

/**
 * No answer came. `address_not_public`: the URL or a name that it leads to is not for the public internet. `connection`: the
 * server was not reached, or did not speak HTTP. `redirects`: it led on too often, or to no URL. `timeout` is of the whole
 * request. `too_large`: the body is longer than the caller takes.
 */
export class OutsideFailure extends Schema.TaggedError<OutsideFailure>()("OutsideFailure", {
  reason: Schema.Literals(["address_not_public", "connection", "redirects", "timeout", "too_large"])
}) {}

/** An answer of another server. The body of a status other than 2xx is not read. */
export interface OutsideAnswer {
  readonly status: number
  /** `Retry-After` as the server sent it. */
  readonly retryAfter: string | undefined
  readonly body: Uint8Array
}

export interface OutsideRequest {
  /** A URL that a stranger named, `http` or `https`. */
  readonly url: string
  readonly userAgent: string
  readonly maxBytes: number
  /** Milliseconds for everything: names, connections, redirects and bodies. */
  readonly timeoutMillis: number
  readonly maxRedirects: number
}

/**
 * Gets what strangers name on the public internet, without cookies, credentials or a referrer. Each connection goes to an
 * address that was checked for this very connection. Private and reserved addresses are refused, unless the operator allows
 * them.
 */
export class OutsideHttp extends Context.Service<
  OutsideHttp,
  { readonly get: (request: OutsideRequest) => Effect.Effect<OutsideAnswer, OutsideFailure> }
>()("pennypress/platform/ports/OutsideHttp") {}
