import { Effect, Option } from "effect"
import { PaymentRefused, type SettlementPending } from "../../../schemas/payments/x402/errors.ts"
import type { PaymentRefusalCode } from "../../../schemas/payments/x402/refusals.ts"

/**
 * Maximum number of further looks after a twin of the request was faster. The first one finds it, because its claim has
 * committed.
 */
const LOOKS_MAX = 2

/** A twin of this request may have been faster. `otherwise` is the answer when there is none. */
export class LookAgain {
  readonly _tag = "LookAgain"
  readonly otherwise: PaymentRefused | SettlementPending
  constructor(otherwise: PaymentRefused | SettlementPending) {
    this.otherwise = otherwise
  }
}

/** Refusals that a twin of this request causes when it sends the same block in between. */
const TWIN_CODES: ReadonlySet<PaymentRefusalCode> = new Set([
  "block_already_exists",
  "block_already_used",
  "frontier_moved",
  "previous_in_flight"
])

/** Returns the reason to look again for a refusal that a twin may cause, and other errors unchanged. */
const suspectTwin = <E>(error: E): E | LookAgain =>
  error instanceof PaymentRefused ? new LookAgain(error) : error

/**
 * Returns true for a refusal that a twin cannot cause. A twin may still have paid, because it saw the ledger at another
 * moment.
 */
const isOwn = (error: unknown) => error instanceof PaymentRefused && !TWIN_CODES.has(error.code)

/**
 * Settles a payment, and looks again when a twin of its request was faster: `replay` finds what the twin claimed, and that
 * is the outcome of both.
 */
export const lookingAgain = <A, E, R, E2, R2>(
  settle: Effect.Effect<A, E | LookAgain, R>,
  replay: Effect.Effect<Option.Option<A>, E2, R2>,
  looks: number = LOOKS_MAX
): Effect.Effect<A, Exclude<E, LookAgain> | E2 | PaymentRefused | SettlementPending, R | R2> =>
  Effect.catch(
    settle,
    Effect.fnUntraced(function* (error) {
      const suspected = suspectTwin(error)
      if (!(suspected instanceof LookAgain)) return yield* Effect.fail(suspected as Exclude<E, LookAgain>)
      const twin = yield* replay
      if (Option.isSome(twin)) return twin.value
      if (looks === 0 || isOwn(error)) return yield* suspected.otherwise
      return yield* lookingAgain(settle, replay, looks - 1)
    })
  )
