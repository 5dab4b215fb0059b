import { Context, type Effect, Schema } from "effect"

/**
 * No answer came. `address_not_public`: the URL or a name that it leads to is not for the public internet. `connection`: the
 * server was not reached, or ended the connection. `tls`: its certificate or its TLS is not acceptable. `protocol`: it did not
 * speak HTTP, or its headers are too large. `redirects`: it led on too often, or to no URL. `timeout` is of the whole request.
 * `too_large`: the body is longer than the caller takes.
 */
export class OutsideFailure extends Schema.TaggedError<OutsideFailure>()("OutsideFailure", {
  reason: Schema.Literals([
    "address_not_public",
    "connection",
    "protocol",
    "redirects",
    "timeout",
    "tls",
    "too_large"
  ])
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

/** The reasons why nothing may be posted to a URL. */
export type PostRefusal = "address_not_public" | "https_required" | "invalid" | "port_not_allowed"

/** A message to a server of a stranger. */
export interface OutsidePost {
  /** A URL that `checkPost` accepted. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Milliseconds for everything: names, connections and the answer. */
  readonly timeoutMillis: number
}

/** The answer to a message. A redirect is an answer, too. */
export interface PostAnswer {
  readonly status: number
  /** `Retry-After` as the server sent it. */
  readonly retryAfter: string | undefined
  /** The first bytes of the body, at most `POST_RESPONSE_BYTES_MAX`; undefined for a server that only the operator allows. */
  readonly response: Uint8Array | undefined
}

/** Maximum number of bytes that are read of the answer to a message. */
export const POST_RESPONSE_BYTES_MAX = 1024

/**
 * Asks and tells servers that strangers name on the public internet, without cookies, credentials or a referrer. Each
 * connection goes to an address that was checked for this very connection. Private and reserved addresses are refused, unless
 * the operator allows them.
 */
export class OutsideHttp extends Context.Service<
  OutsideHttp,
  {
    readonly get: (request: OutsideRequest) => Effect.Effect<OutsideAnswer, OutsideFailure>
    /** Posts to a URL over `https`, follows no redirect, and repeats nothing. */
    readonly post: (message: OutsidePost) => Effect.Effect<PostAnswer, OutsideFailure>
    /** Returns why messages may not go to a URL. They need `https`, an allowed port, and a name with public addresses only. */
    readonly checkPost: (url: string) => Effect.Effect<PostRefusal | undefined>
  }
>()("pennypress/platform/ports/OutsideHttp") {}
