import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"

/** Matches a request id that a caller may choose: 1 to 128 visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** Returns the caller's request id when that is valid, else a new one. */
export const idOfRequest = (
  headers: Readonly<Record<string, string | undefined>>,
  random: SecureRandom.SecureRandom["Service"]
): Effect.Effect<string> => {
  const sent = headers["x-request-id"]
  return sent !== undefined && REQUEST_ID.test(sent) ? Effect.succeed(sent) : random.uuidV7()
}
