import { Effect } from "effect"
import { makeTurnstile } from "../work/turnstile.ts"

/** Bytes of a body from which decoding and parsing it takes milliseconds. */
const LONG_BYTES = 256 * 1024

const turnstile = Effect.runSync(makeTurnstile)

/** Runs the work on a body of this many bytes. Long bodies of every format take turns: one at each turn of the event loop. */
export const inTurn = <A, E, R>(bytes: number, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  bytes < LONG_BYTES ? work : Effect.andThen(turnstile, work)
