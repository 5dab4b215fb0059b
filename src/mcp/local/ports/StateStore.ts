import { Context, type Effect } from "effect"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"

/** A value of a column. Amounts of Nano are text: no number holds them. */
export type Value = string | number | null

/** A row as the store has it, before its schema reads it. */
type Row = Readonly<Record<string, unknown>>

/** One transaction. Its methods are synchronous, so that it never spans a request. */
export interface Transaction {
  /** Milliseconds since 1970, never earlier than the last time that the store has seen. */
  readonly now: number
  /** Returns the first row of a statement. */
  readonly first: (sql: string, ...values: ReadonlyArray<Value>) => Row | undefined
  /** Returns all rows of a statement. */
  readonly all: (sql: string, ...values: ReadonlyArray<Value>) => ReadonlyArray<Row>
  /** Runs a statement that writes. Returns the number of rows that it changed. */
  readonly run: (sql: string, ...values: ReadonlyArray<Value>) => number
}

/** The work of a transaction: an effect that waits for nothing. */
export type Body<A, E> = (tx: Transaction) => Effect.Effect<A, E>

/**
 * The state of the local edition: identity, credentials, grants, intents. Each method is one transaction, whole on the
 * disk when it returns. A body that fails changes nothing. Fails with `state-unavailable` if the disk or another
 * process prevents it.
 */
export class StateStore extends Context.Service<
  StateStore,
  {
    /** The state directory, which holds downloads and files, too. */
    readonly directory: string
    readonly read: <A, E = never>(body: Body<A, E>) => Effect.Effect<A, E | ToolFailure>
    readonly write: <A, E = never>(body: Body<A, E>) => Effect.Effect<A, E | ToolFailure>
  }
>()("pennypress/mcp/local/ports/StateStore") {}
