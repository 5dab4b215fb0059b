import { Effect, Layer, Stream } from "effect"
import { type Heard, Signals } from "../../src/platform/ports/Signals.ts"

/** Signals of a process that is alone with its database: it listens, but no other process signals. */
export const layer = Layer.succeed(Signals, {
  send: () => Effect.succeed(0n),
  heard: () => Stream.concat(Stream.succeed<Heard>({ _tag: "listening", position: 0n }), Stream.never)
})
