import { Context, DateTime, Effect, Latch, Layer, Queue, Ref } from "effect"
import {
  Scanner,
  ScannerUnavailable,
  type ScannerDefinitions,
  type ScanVerdict
} from "../../src/platform/ports/Scanner.ts"

/** Controls the scanner in a test, and shows what it scanned. */
export class ScannerMemory extends Context.Service<
  ScannerMemory,
  {
    /** Returns the bytes of every scan in the order of their start, with held and failed ones. */
    readonly scanned: Effect.Effect<ReadonlyArray<Uint8Array>>
    /** Makes the next `times` scans answer with this verdict instead of `clean`; one by default. */
    readonly answerNext: (answer: ScanVerdict | ScannerUnavailable, times?: number) => Effect.Effect<void>
    /** Sets the definitions. By default, they are published at the moment of the question. */
    readonly setDefinitions: (answer: ScannerDefinitions | ScannerUnavailable) => Effect.Effect<void>
    /** Holds every scan from now on, after its start and before its answer. */
    readonly hold: Effect.Effect<void>
    /** Waits until another scan is held. */
    readonly held: Effect.Effect<void>
    /** Releases the held scans and those to come. */
    readonly release: Effect.Effect<void>
  }
>()("pennypress/layers/testing/ScannerMemory") {}

const isFailure = (answer: object): answer is ScannerUnavailable => answer instanceof ScannerUnavailable

const current: Effect.Effect<ScannerDefinitions> = Effect.map(DateTime.nowAsDate, (now) => ({
  engine: "memory",
  version: "1",
  publishedAt: now
}))

const make = Effect.gen(function* () {
  const scanned = yield* Ref.make<ReadonlyArray<Uint8Array>>([])
  const answers = yield* Ref.make<ReadonlyArray<ScanVerdict | ScannerUnavailable>>([])
  const definitions = yield* Ref.make<ScannerDefinitions | ScannerUnavailable | undefined>(undefined)
  const gate = yield* Latch.make(true)
  const held = yield* Queue.unbounded<void>()
  const isHeld = yield* Ref.make(false)

  const scanner = Scanner.of({
    kind: "scanner",
    definitions: Effect.gen(function* () {
      const answer = (yield* Ref.get(definitions)) ?? (yield* current)
      return isFailure(answer) ? yield* answer : answer
    }),
    scan: Effect.fnUntraced(function* (bytes) {
      yield* Ref.update(scanned, (others) => [...others, bytes])
      if (yield* Ref.get(isHeld)) yield* Queue.offer(held, undefined)
      yield* gate.await
      const answer = yield* Ref.modify(answers, ([first, ...others]) => [first, others])
      if (answer === undefined) return { verdict: "clean" }
      return isFailure(answer) ? yield* answer : answer
    })
  })

  const control = ScannerMemory.of({
    scanned: Ref.get(scanned),
    answerNext: (answer, times = 1) =>
      Ref.update(answers, (others) => [...others, ...Array.from({ length: times }, () => answer)]),
    setDefinitions: (answer) => Ref.set(definitions, answer),
    hold: Effect.andThen(Ref.set(isHeld, true), gate.close).pipe(Effect.asVoid),
    held: Queue.take(held),
    release: Effect.andThen(Ref.set(isHeld, false), gate.open).pipe(Effect.asVoid)
  })
  return Context.make(Scanner, scanner).pipe(Context.add(ScannerMemory, control))
})

/** A scanner whose findings a test chooses, new for each build of the layer. */
export const layer = Layer.effectContext(make)
