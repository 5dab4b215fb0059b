import { Context, Effect, Schema, Stream } from "effect"

/** The subjects of signals. */
export type Topic = "work" | "public_answers"

/** A signal could not be sent. */
export class SignalNotSent extends Schema.TaggedError<SignalNotSent>()("SignalNotSent", {
  cause: Schema.Defect()
}) {}

/**
 * An event of a listener. Signals between `lost` and the next `listening` are lost, and so are those before the first
 * `listening`.
 */
export type Heard =
  | { readonly _tag: "listening" }
  | { readonly _tag: "lost" }
  | { readonly _tag: "signal"; readonly text: string }

/**
 * Signals between the processes of one service. Without an adapter, a process gets no signals of others, and no
 * `listening`.
 */
export const Signals = Context.Reference<{
  /** Sends a signal to every process that listens, including this one. A text has fewer than 7,900 bytes. */
  readonly send: (topic: Topic, texts: ReadonlyArray<string>) => Effect.Effect<void, SignalNotSent>
  readonly heard: (topic: Topic) => Stream.Stream<Heard>
}>("pennypress/platform/ports/Signals", {
  defaultValue: () => ({ send: () => Effect.void, heard: () => Stream.never })
})
