import { Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import type { Transaction } from "../ports/StateStore.ts"
import type { Intent } from "../state/intents.sql.ts"

/** Time after which a sent request can no longer arrive. */
const ON_ITS_WAY_MILLIS = 120_000

/** Returns true while the request of an intent may still arrive. */
export const isOnItsWay = ({ dispatchedAt }: Intent, now: number): boolean =>
  now - (dispatchedAt ?? 0) < ON_ITS_WAY_MILLIS

/** One intent as the parts of its operation see it. */
export interface Asked<Args, Request> {
  readonly intent: Intent
  readonly args: Args
  readonly request: Request
}

type Done<A> = Effect.Effect<A, ToolFailure>

/** The outcome of an operation: its result, or a refusal after which it will never take effect. */
export type Outcome<Result> = { readonly result: Result } | { readonly refusal: ToolFailure }

/**
 * One kind of write, as it goes through its phases. The parts that get a transaction wait for nothing. `Args` and `Result`
 * are values of JSON, as they are saved; neither has a secret.
 */
export interface Operation<Args, Request, Look, Result> {
  readonly tool: string
  /** Reads the facts that the authorization needs. Skipped if the intent already exists. */
  readonly look: (args: Args) => Done<Look>
  /** Checks grants and reserves money in the transaction that saves the intent. Returns what is saved for sending. */
  readonly authorize: (
    tx: Transaction,
    asked: { readonly args: Args; readonly look: Look; readonly id: string }
  ) => Done<Request>
  /** Makes what is sent, such as a signature, before the intent counts as possibly sent. */
  readonly prepare: (asked: Asked<Args, Request>) => Done<unknown>
  /** Checks once more that the request may be sent, in the transaction after which it may be on its way. */
  readonly dispatch: (tx: Transaction, asked: Asked<Args, Request>, prepared: unknown) => Done<void>
  /** Sends the request for the first time. A failure that is not a refusal leaves the outcome open. */
  readonly send: (asked: Asked<Args, Request>) => Done<Result>
  /** Finds out the outcome of a request that may have been sent, or completes the request. */
  readonly resume: (asked: Asked<Args, Request>) => Done<Result>
  /** Books the outcome in the transaction that completes the intent. */
  readonly settle: (tx: Transaction, asked: Asked<Args, Request>, outcome: Outcome<Result>) => Done<void>
}

/**
 * Makes an operation of the given parts. By default, any caller with an identity may do it, and repeating the same
 * request produces its outcome.
 */
export const makeOperation = <Args, Result, Request = null, Look = null>(
  parts: Pick<Operation<Args, Request, Look, Result>, "send" | "tool"> &
    Partial<Operation<Args, Request, Look, Result>>
): Operation<Args, Request, Look, Result> => ({
  look: () => Effect.succeed(null as Look),
  authorize: () => Effect.succeed(null as Request),
  prepare: () => Effect.void,
  dispatch: () => Effect.void,
  resume: parts.send,
  settle: () => Effect.void,
  ...parts
})
