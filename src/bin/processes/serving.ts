import { Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { readEnvironment } from "../../../layers/config/environment.ts"
import { observability } from "../../../layers/observability.ts"
import * as RateLimiterStorePrimary from "../../../layers/rate-limits/RateLimiterStorePrimary.ts"
import { operatorMessage } from "../failures.ts"
import { serve } from "../server/serve.ts"
import type { ToPrimary, ToServing } from "./messages.ts"
import { metricsQuestion } from "./metricsQuestion.ts"

type Told = Extract<ToServing, { readonly kind: "serve" }>

/** Sends to the primary process. Without one this process ends, so a lost message needs no answer. */
const send = (message: ToPrimary, sent: () => void = () => {}) => {
  process.send?.(message, undefined, {}, sent)
}

/** Receives from the primary process. */
const connected = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const told = yield* Deferred.make<Told>()
  const isDraining = yield* Deferred.make<void>()
  const question = metricsQuestion((id) => send({ kind: "ask-metrics", id }))
  let takeAnswers: Parameters<RateLimiterStorePrimary.PrimaryCounters["onAnswers"]>[0] = () => {}

  const receive = (message: ToServing) => {
    switch (message.kind) {
      case "serve":
        return Deferred.doneUnsafe(told, Effect.succeed(message))
      case "drain":
        return Deferred.doneUnsafe(isDraining, Effect.void)
      case "counted":
        return takeAnswers(message.answers)
      case "ask-metrics":
        return run(
          Effect.map(PrometheusMetrics.format(), (text) => send({ kind: "metrics", id: message.id, text }))
        )
      case "metrics":
        return question.answer(message)
    }
  }
  process.on("message", receive)
  // The primary process answers the signal of a terminal for all.
  process.on("SIGHUP", () => {})
  send({ kind: "begun" })

  return {
    told: Deferred.await(told),
    isDraining: Deferred.await(isDraining),
    counters: RateLimiterStorePrimary.layer({
      ask: (questions) => send({ kind: "count", questions }),
      onAnswers: (take) => {
        takeAnswers = take
      }
    }),
    metrics: question.metrics
  }
})

/** Serves until the primary process says to drain, and then until the last connection has ended. */
const serving = Effect.gen(function* () {
  const environment = yield* readEnvironment
  const { counters, isDraining, metrics, told } = yield* connected
  const { embedded, process: number } = yield* told
  const draining = yield* Deferred.make<Effect.Effect<void>>()

  const service = serve(
    environment,
    {},
    {
      counters,
      embedded: embedded === undefined ? undefined : Redacted.make(embedded),
      metrics,
      listening: (address, drain) =>
        Effect.andThen(
          Deferred.succeed(draining, drain),
          Effect.sync(() => send({ kind: "listening", address }))
        )
    }
  )
  const untilDrained = Effect.gen(function* () {
    const drain = yield* Deferred.await(draining)
    yield* isDraining
    yield* drain
  })
  const program = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Layer.launch(service))
    yield* Effect.raceFirst(Fiber.join(fiber), untilDrained).pipe(Effect.ensuring(Fiber.interrupt(fiber)))
  })
  yield* program.pipe(Effect.annotateLogs({ process: number }), Effect.provide(observability(environment)))
})

const tell = (message: string) =>
  Effect.callback<void>((resume) => send({ kind: "failed", message }, () => resume(Effect.void)))

/** Serves for the primary process that started this one. Tells it of failures that the operator can mend. */
export const serveForPrimary = serving.pipe(
  Effect.catchCause(
    Effect.fnUntraced(function* (cause) {
      const message = operatorMessage(cause)
      if (message === undefined) return yield* Effect.failCause(cause)
      yield* tell(message)
      process.exitCode = 1
    })
  ),
  // The channel to the primary process would keep this one alive.
  Effect.andThen(Effect.sync(() => process.exit()))
)
