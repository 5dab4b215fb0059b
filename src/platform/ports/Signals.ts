import { Context, Effect, Schema, Stream } from "effect"

/** The subjects of signals. */
export type Topic = "work" | "public_answers"

/**
 * A position in the log of the database. A server that has replayed the log up to here shows every change that was
 * committed before the position was read.
 */
export type LogPosition = bigint

/** A signal could not be sent. */
export class SignalNotSent extends Schema.TaggedError<SignalNotSent>()("SignalNotSent", {
  cause: Schema.Defect()
}) {}

/**
 * An event of a listener. Signals between `lost` and the next `listening` are lost, and so are those before the first
 * `listening`.
 */
export type Heard =
  | { readonly _tag: "listening"; readonly position: LogPosition }
  /** The listener's database was not heard for these milliseconds. */
  | { readonly _tag: "lost"; readonly silentMillis: number }
  | { readonly _tag: "signal"; readonly text: string; readonly position: LogPosition }

/**
 * Signals between the processes of one service. Without an adapter, a process gets no signals of others, and no
 * `listening`.
 */
export const Signals = Context.Reference<{
  /**
   * Sends a signal to every process that listens, including this one. A text has fewer than 7,900 bytes. Returns the
   * position that goes with it, which was read after this call began.
   */
  readonly send: (topic: Topic, texts: ReadonlyArray<string>) => Effect.Effect<LogPosition, SignalNotSent>
  readonly heard: (topic: Topic) => Stream.Stream<Heard>
}>("pennypress/platform/ports/Signals", {
  defaultValue: () => ({ send: () => Effect.succeed(0n), heard: () => Stream.never })
})
