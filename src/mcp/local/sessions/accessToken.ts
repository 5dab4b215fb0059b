import { Option, Redacted, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { fromShallowJson } from "../../../../schemas/platform/jsonBounds.ts"

const Claims = fromShallowJson(Schema.Struct({ exp: Schema.Int }))

const decodeClaims = Schema.decodeUnknownOption(Claims)

/** Returns the expiry of an access token in milliseconds since 1970; null if it has none. */
export const endOf = (token: Redacted.Redacted): number | null => {
  const [, payload = ""] = Redacted.value(token).split(".")
  const decoded = Result.getOrUndefined(Base64Url.decodeString(payload))
  const claims = Option.getOrUndefined(decodeClaims(decoded))
  return claims === undefined ? null : claims.exp * 1_000
}
