import { Context, Effect, Latch, Layer, Stream } from "effect"
import { EVERY_KIND, WorkSignals } from "../ports/WorkSignals.ts"
import { Transactions } from "../sql/Transactions.ts"

/** The bell of one kind of work. */
export interface Doorbell {
  /**
   * Rings once the surrounding transaction has committed, or at once without one; never when the transaction fails.
   * Costs no statement. A waiting worker of this process answers alone. Other processes hear the bell only while this
   * process has no idle worker.
   */
  readonly ring: Effect.Effect<void>
  /** Waits until the bell rings, here or in another process. A ring that came before counts. */
  readonly rung: Effect.Effect<void>
}

/**
 * Bells that wake workers at once, by kind of work. Waiting workers also poll, so a lost ring costs at most a second.
 */
export class Doorbells extends Context.Service<
  Doorbells,
  {
    /** Returns the bell of this kind of work: the same one each time. */
    readonly bell: (kind: string) => Doorbell
  }
>()("pennypress/platform/work/Doorbells") {
  static readonly layer = Layer.effect(
    Doorbells,
    Effect.gen(function* () {
      const transactions = yield* Transactions
      const signals = yield* WorkSignals
      const bells = new Map<string, Bell>()
      const unsent = new Set<string>()
      const hasUnsent = Latch.makeUnsafe()

      const bellOf = (kind: string) => {
        const known = bells.get(kind)
        if (known !== undefined) return known
        const made = makeBell()
        bells.set(kind, made)
        return made
      }

      const ring = (kind: string) =>
        Effect.sync(() => {
          const { ringing, waiting } = bellOf(kind)
          ringing.openUnsafe()
          if (waiting() > 0) return
          unsent.add(kind)
          hasUnsent.openUnsafe()
        })

      // Rings that come while a signal is on its way leave together with the next one.
      const sendUnsent = Effect.gen(function* () {
        yield* hasUnsent.await
        hasUnsent.closeUnsafe()
        const kinds = [...unsent]
        unsent.clear()
        yield* signals.send(kinds)
      })
      yield* Effect.forkScoped(Effect.forever(sendUnsent))

      yield* signals.received.pipe(
        Stream.runForEach((kind) =>
          Effect.sync(() => {
            const heard = kind === EVERY_KIND ? bells.values() : [bellOf(kind)]
            for (const { ringing } of heard) ringing.openUnsafe()
          })
        ),
        Effect.forkScoped
      )

      return Doorbells.of({
        bell: (kind) => ({ ring: transactions.afterCommit(ring(kind)), rung: bellOf(kind).rung })
      })
    })
  )
}

interface Bell {
  /** Open from a ring until a worker answers it. */
  readonly ringing: Latch.Latch
  /** Returns how many workers of this process wait for the bell. */
  readonly waiting: () => number
  readonly rung: Effect.Effect<void>
}

const makeBell = (): Bell => {
  const ringing = Latch.makeUnsafe()
  let waiting = 0
  const begin = Effect.sync(() => {
    waiting += 1
  })
  const end = Effect.sync(() => {
    waiting -= 1
  })
  return {
    ringing,
    waiting: () => waiting,
    rung: Effect.acquireUseRelease(
      begin,
      () => Effect.andThen(ringing.await, ringing.close),
      () => end
    ).pipe(Effect.asVoid)
  }
}
