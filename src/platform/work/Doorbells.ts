import { Context, Effect, Latch, Layer, type Scope, Stream } from "effect"
import { Signals } from "../ports/Signals.ts"
import { Transactions } from "../sql/Transactions.ts"
import { coalesced } from "./coalesced.ts"
import { makeDueWork, type NextDue } from "./dueWork.ts"

/** The bell of one kind of work. */
export interface Doorbell {
  /**
   * Rings once the surrounding transaction has committed, or at once without one; never when the transaction fails.
   * Costs no statement. A waiting worker of this process answers alone. Other processes hear the bell only while this
   * process has no idle worker.
   */
  readonly ring: Effect.Effect<void>
  /** Rings like `ring`, in this process alone. */
  readonly ringHere: Effect.Effect<void>
  /** Waits until the bell rings, here or in another process. A ring that came before counts. */
  readonly rung: Effect.Effect<void>
}

/** Bells that wake workers at once, by kind of work. */
export class Doorbells extends Context.Service<
  Doorbells,
  {
    /** Returns the bell of this kind of work: the same one each time. */
    readonly bell: (kind: string) => Doorbell
    /** Rings the bell of this kind whenever work is due that nothing rang for, as long as the scope lasts. */
    readonly watch: (kind: string, nextDue: NextDue) => Effect.Effect<void, never, Scope.Scope>
    /** The seconds for which the oldest due row of each watched kind of work had waited a moment ago. */
    readonly overdueSeconds: Effect.Effect<ReadonlyMap<string, number>>
    /** Makes watched work that is due ring within a second, or when it is due. */
    readonly lookSoon: Effect.Effect<void>
  }
>()("pennypress/platform/work/Doorbells") {
  static readonly layer = Layer.effect(
    Doorbells,
    Effect.gen(function* () {
      const transactions = yield* Transactions
      const signals = yield* Signals
      const bells = new Map<string, Bell>()
      const tellOthers = yield* coalesced((kinds) => Effect.ignore(signals.send("work", kinds)))

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
          if (waiting() === 0) tellOthers(kind)
        })
      const ringHere = (kind: string) => Effect.sync(() => bellOf(kind).ringing.openUnsafe())
      const dueWork = yield* makeDueWork((kind) => bellOf(kind).ringing.openUnsafe())

      // A new listener may have missed signals of any kind.
      yield* signals.heard("work").pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => {
            if (event._tag === "signal") bellOf(event.text).ringing.openUnsafe()
            if (event._tag === "listening") for (const { ringing } of bells.values()) ringing.openUnsafe()
          })
        ),
        Effect.forkScoped
      )

      return Doorbells.of({
        ...dueWork,
        bell: (kind) => ({
          ring: transactions.afterCommit(ring(kind)),
          ringHere: transactions.afterCommit(ringHere(kind)),
          rung: bellOf(kind).rung
        })
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
