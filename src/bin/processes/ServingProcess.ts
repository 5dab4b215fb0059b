import cluster from "node:cluster"
import { Deferred, Effect, Option, Redacted, Schema } from "effect"
import type { RateLimiter } from "effect/persistence"
import { answerCounts } from "../../../layers/rate-limits/RateLimiterStorePrimary.ts"
import type { ToPrimary, ToServing } from "./messages.ts"
import { metricsQuestion } from "./metricsQuestion.ts"

/** Time that a process has to stop after SIGTERM: ten seconds for its requests, and the rest for its workers. */
const STOP_MILLIS = 25_000

/** Time that a process has to answer with its metrics. */
const METRICS_MILLIS = 1_000

/** A serving process ended before it listened. The message is for the operator. */
export class ServingProcessFailed extends Schema.TaggedError<ServingProcessFailed>()("ServingProcessFailed", {
  message: Schema.String
}) {}

/** The services that the primary process has for those that serve. */
export interface Primary {
  readonly counters: RateLimiter.RateLimiterStore["Service"]
  /** Waits for the embedded database, and returns its URL; none with `DATABASE_URL`. */
  readonly embedded: Effect.Effect<Option.Option<Redacted.Redacted>>
  /** The metrics of all processes. */
  readonly metrics: Effect.Effect<string>
}

/** A process that serves, as the primary process sees it. */
export interface ServingProcess {
  readonly number: number
  readonly pid: number
  /** Waits until the process listens, and returns the address. */
  readonly listening: Effect.Effect<string, ServingProcessFailed>
  /** Waits for the end of the process, and returns its signal or status. */
  readonly ended: Effect.Effect<string>
  /** Asks the process to accept no more connections, and to end after those that it has. */
  readonly drain: Effect.Effect<void>
  /** Stops the process, by force after 25 seconds, and waits for its end. */
  readonly stop: Effect.Effect<void>
  /** Returns the metrics of the process; none when it does not answer within a second. */
  readonly metrics: Effect.Effect<Option.Option<string>>
}

/** Messages to a process that has ended are lost with it. */
const ignore = () => {}

/** Starts a process with this number. */
export const fork = Effect.fnUntraced(function* (number: number, primary: Primary) {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const listening = yield* Deferred.make<string, ServingProcessFailed>()
  const ended = yield* Deferred.make<string>()
  let problem: string | undefined

  const child = cluster.fork()
  const send = (message: ToServing) => {
    if (child.isConnected()) child.send(message, ignore)
  }
  const question = metricsQuestion((id) => send({ kind: "ask-metrics", id }))

  const serve = (embedded: Option.Option<Redacted.Redacted>) => {
    const url = Option.isSome(embedded) ? { embedded: Redacted.value(embedded.value) } : {}
    send({ kind: "serve", process: number, ...url })
  }

  const receive = (message: ToPrimary) => {
    switch (message.kind) {
      case "begun":
        return run(Effect.map(primary.embedded, serve))
      case "listening":
        return Deferred.doneUnsafe(listening, Effect.succeed(message.address))
      case "failed":
        problem = message.message
        return undefined
      case "count":
        return run(
          Effect.map(answerCounts(primary.counters, message.questions), (answers) =>
            send({ kind: "counted", answers })
          )
        )
      case "ask-metrics":
        return run(Effect.map(primary.metrics, (text) => send({ kind: "metrics", id: message.id, text })))
      case "metrics":
        return question.answer(message)
    }
  }
  child.on("message", receive)
  child.on("error", ignore)
  child.once("exit", (status: number, signal: string | null) => {
    const how = signal ?? `status ${status}`
    const message = problem ?? `A serving process ended before it listened (${how}). The lines above say why.`
    Deferred.doneUnsafe(ended, Effect.succeed(how))
    Deferred.doneUnsafe(listening, Effect.fail(new ServingProcessFailed({ message })))
  })

  const kill = (signal: NodeJS.Signals) => Effect.sync(() => void child.process.kill(signal))

  const serving: ServingProcess = {
    number,
    pid: child.process.pid ?? 0,
    listening: Deferred.await(listening),
    ended: Deferred.await(ended),
    drain: Effect.sync(() => send({ kind: "drain" })),
    stop: kill("SIGTERM").pipe(
      Effect.andThen(Deferred.await(ended)),
      Effect.timeoutOrElse({
        duration: STOP_MILLIS,
        orElse: () => Effect.andThen(kill("SIGKILL"), Deferred.await(ended))
      }),
      Effect.asVoid
    ),
    metrics: Effect.timeoutOption(question.metrics, METRICS_MILLIS)
  }
  return serving
})
