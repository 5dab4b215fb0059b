import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { HttpServerRequest } from "effect/http"

/** Matches a request id that a caller may choose: 1 to 128 visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/

/** Runs an effect with the caller's request id when that is valid, else with a new one. */
export const withRequestId = <A, E, R>(
  { headers }: HttpServerRequest.HttpServerRequest,
  random: SecureRandom.SecureRandom["Service"],
  run: (requestId: string) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const sent = headers["x-request-id"]
  return sent !== undefined && REQUEST_ID.test(sent) ? run(sent) : Effect.flatMap(random.uuidV7(), run)
}
