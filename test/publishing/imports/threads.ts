import { Effect, Layer } from "effect"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { Offload } from "../../../src/platform/ports/Offload.ts"
import type { ServiceOptions } from "../../support/TestClient.ts"
import { readJsonItems } from "./jsonItems.ts"

/** What happens, in a fiber of its own, before a thread reads a long text or a large picture. */
export const threads: { before: Effect.Effect<void> } = { before: Effect.void }

/** Lets nothing happen there any more, however a test ends. */
export const withoutThreads = Effect.ensuring(Effect.sync(() => (threads.before = Effect.void)))

const watched = Layer.effect(
  Offload,
  Effect.map(Offload, ({ run }) =>
    Offload.of({
      run: (task, input, key) =>
        Effect.andThen(
          Effect.promise(() => Effect.runPromise(threads.before)),
          run(task, input, key)
        )
    })
  )
)

/** The options of a service that reads the files of these tests, with watched threads. */
export const withThreads: ServiceOptions = {
  changePorts: (ports) =>
    Layer.mergeAll(
      ports,
      ImportReaderMemory.layer(readJsonItems).pipe(Layer.provide(ports)),
      watched.pipe(Layer.provide(ports))
    )
}
