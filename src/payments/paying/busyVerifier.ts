import { Effect, Option } from "effect"
import { RateLimited } from "../../../schemas/platform/errors/common.ts"
import type { VerifierBusy } from "../../platform/nano/signatureVerifier.ts"

/** Seconds after which the verifier has done what waits for it. */
const RETRY_AFTER_SECONDS = 2

/**
 * Answers a payment whose signature finds no place. A twin of its request may have claimed, and has the outcome of both.
 * Otherwise nothing was sent, and the payer repeats the request.
 */
export const orBusy = <A, E, R, E2, R2>(
  pay: Effect.Effect<A, E | VerifierBusy, R>,
  replay: Effect.Effect<Option.Option<A>, E2, R2>
): Effect.Effect<A, Exclude<E, VerifierBusy> | E2 | RateLimited, R | R2> =>
  Effect.catchTag(pay, "VerifierBusy", () =>
    Effect.flatMap(
      replay,
      Option.match({
        onNone: () => Effect.fail(new RateLimited({ retryAfterSeconds: RETRY_AFTER_SECONDS })),
        onSome: Effect.succeed
      })
    )
  ) as Effect.Effect<A, Exclude<E, VerifierBusy> | E2 | RateLimited, R | R2>
