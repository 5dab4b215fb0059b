import { Schema } from "effect"
import type { OutsideFailure } from "../../src/platform/ports/OutsideHttp.ts"

/** Ends a connection whose address is not public. Undici passes it on as the reason of the failed request. */
export class AddressNotPublic extends Schema.TaggedError<AddressNotPublic>()("AddressNotPublic", {}) {}

/** Ends a connection whose name no name server answered about. */
export class NamesSilent extends Schema.TaggedError<NamesSilent>()("NamesSilent", {}) {}

/** Codes of OpenSSL and Node about certificates and handshakes. */
const TLS = /^(?:ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO$)/

/** Codes of answers that are not HTTP, or whose headers are too large. */
const PROTOCOL = /^(?:UND_ERR_HEADERS_OVERFLOW|UND_ERR_NOT_SUPPORTED)$/

const TIMEOUT = /^(?:UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/

/** Returns the reason of a request that got no answer. */
export const failureReasonOf = (cause: unknown): OutsideFailure["reason"] => {
  if (cause instanceof AddressNotPublic) return "address_not_public"
  if (cause instanceof NamesSilent) return "timeout"
  if (!(cause instanceof Error)) return "connection"
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : ""
  if (TLS.test(code)) return "tls"
  if (cause.name === "HTTPParserError" || PROTOCOL.test(code)) return "protocol"
  if (TIMEOUT.test(code)) return "timeout"
  return cause.cause === undefined ? "connection" : failureReasonOf(cause.cause)
}
