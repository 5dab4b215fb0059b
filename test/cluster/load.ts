import { Effect, Fiber } from "effect"
import { TestClient } from "../support/TestClient.ts"
import { author, buyer, people, photographer, quietPost, reader, visitor } from "./actors.ts"
import { type Record, recordingClient } from "./record.ts"
import { ORIGIN } from "./topology.ts"

/** Milliseconds between two steps of an actor: a load that two processors bear, with all machines on them. */
const PAUSES = { read: 50, create: 200, upload: 1_000, signIn: 1_000, buy: 500 }

const twice = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.replicateEffect(effect, 2)

/** A mixed load through the load balancer. It runs until it is stopped, or to the end of the scope. */
export const startLoad = Effect.gen(function* () {
  const record: Record = { seen: [], writes: [] }
  const client = recordingClient(ORIGIN, record)
  const number = people()
  let isStopping = false

  /** Begins an actor. Returns the fiber in which it repeats its step. */
  const every = <E, R>(
    pause: number,
    actor: Effect.Effect<{ readonly step: Effect.Effect<unknown, never, TestClient> }, E, R>
  ) =>
    Effect.flatMap(actor, ({ step }) =>
      Effect.forkScoped(
        Effect.repeat(Effect.delay(step, pause), { while: () => !isStopping }).pipe(
          Effect.provideService(TestClient, client)
        )
      )
    )
  const published: Array<string> = []
  const loops = yield* Effect.gen(function* () {
    const authors = yield* twice(
      every(
        PAUSES.create,
        Effect.suspend(() => author(number(), published, record))
      )
    )
    const buyers = yield* twice(
      every(
        PAUSES.buy,
        Effect.suspend(() => buyer(number(), published, record))
      )
    )
    const quiet = yield* quietPost(number())
    const readers = yield* twice(every(PAUSES.read, reader(quiet)))
    const photographers = yield* every(PAUSES.upload, photographer(number(), record))
    const visitors = yield* every(PAUSES.signIn, visitor(number, record))
    return [...authors, ...buyers, ...readers, photographers, visitors]
  }).pipe(Effect.provideService(TestClient, client))
  record.seen.length = 0

  return {
    record,
    /** Lets each actor finish what it began, and waits for that. */
    stop: Effect.suspend(() => {
      isStopping = true
      return Fiber.joinAll(loops)
    })
  }
})
