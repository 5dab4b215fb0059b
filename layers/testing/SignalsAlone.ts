import { Effect, Layer, Stream } from "effect"
import { type Heard, Signals } from "../../src/platform/ports/Signals.ts"

/** Signals of a process that is alone with its database: it listens, but no other process signals. */
export const layer = Layer.succeed(Signals, {
  send: () => Effect.void,
  heard: () => Stream.concat(Stream.succeed<Heard>({ _tag: "listening" }), Stream.never)
})
