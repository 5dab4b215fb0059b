import { Effect, Layer } from "effect"
import * as ImportReaderMemory from "../../../layers/testing/ImportReaderMemory.ts"
import { Offload } from "../../../src/platform/ports/Offload.ts"
import type { ServiceOptions } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { fileOf, ITEMS, readJsonItems, type SomeItem } from "./jsonItems.ts"

/** Effect that runs, in a fiber of its own, before a thread reads a long text or a large picture. */
export const threads: { before: Effect.Effect<void> } = { before: Effect.void }

/** Lets an effect run there, with the services of its test. */
export const beforeThreads = <E, R>(effect: Effect.Effect<unknown, E, R>) =>
  Effect.map(Effect.context<R>(), (context) => {
    threads.before = effect.pipe(Effect.orDie, Effect.asVoid, Effect.provideContext(context))
  })

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

/** A text that only a thread reads. */
export const LONG = Array.from(
  { length: 2_000 },
  (_, n) => `Words *of* line ${n} and [more](https://more.test/${n}).`
).join("\n\n")

/** Makes a file of one post with pictures of this size. */
export const withPictures = (count: number, text: string, members: SomeItem = {}, side = 8) => {
  const names = Array.from({ length: count }, (_, n) => `${n}.png`)
  const item: SomeItem = {
    draft: { freeContent: [text, ...names.map((name) => `![p](${name})`)].join("\n\n") },
    images: names.map((name) => ({ url: name, alt: "p", from: { entry: name }, place: "text" as const })),
    ...members
  }
  return zipOf([
    { name: ITEMS, content: fileOf([item]) },
    ...names.map((name, n) => ({ name, content: pngOf({ width: side, height: side, seed: n + 1 }) }))
  ])
}
