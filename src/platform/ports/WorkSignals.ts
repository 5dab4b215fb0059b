import { Context, Effect, Stream } from "effect"

/** A signal that stands for every kind of work: signals may have been lost, as after a broken connection. */
export const EVERY_KIND = "*"

/**
 * Signals between the processes of one service that there is work. A signal may be lost, because every worker also
 * looks by itself once a second. Without an adapter, processes find each other's work by that alone.
 */
export const WorkSignals = Context.Reference<{
  /** Tells every process that there is work of these kinds. Never fails, and a signal that cannot be sent is lost. */
  readonly send: (kinds: ReadonlyArray<string>) => Effect.Effect<void>
  /** Kinds of work that any process signals, this one included, or `EVERY_KIND`. */
  readonly received: Stream.Stream<string>
}>("pennypress/platform/ports/WorkSignals", {
  defaultValue: () => ({ send: () => Effect.void, received: Stream.never })
})
