import { Effect, Layer, Metric, Option, type Redacted, Ref, Schedule, Stream } from "effect"
import { CircuitBreaker, RateLimiter } from "effect/persistence"
import { connectRedis, type RedisConnection } from "./redisConnection.ts"

/** Maximum time that a request waits for Redis. */
const PATIENCE = "250 millis"

/** Failures in a row that open the circuit, and the time until a request tries Redis again. */
const FAILURES = 3
const OPEN = "2 seconds"

const RECONNECT = Schedule.jittered(Schedule.spaced("500 millis"))

/** All limits share one server and so one circuit. */
const circuit = { key: "redis" }

const circuitState = Metric.gauge("rate_limit_circuit_state", {
  description: "The circuit breaker before Redis: 0 closed, 1 half open, 2 open"
})
const stateNumbers = { Closed: 0, HalfOpen: 1, Open: 2 } as const

type Store = RateLimiter.RateLimiterStore["Service"]

const storeError = (message: string) =>
  new RateLimiter.RateLimiterError({ reason: new RateLimiter.RateLimitStoreError({ message }) })

/** Returns a code or the server's words, never the URL, which has a password. */
const reasonOf = (cause: unknown) => {
  const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown }
  return String(code ?? message)
}

/** Logs an outage once, and its end. */
const makeOutage = Effect.map(Ref.make(false), (isAway) => ({
  began: Effect.fnUntraced(function* (reason: string) {
    if (yield* Ref.getAndSet(isAway, true)) return
    yield* Effect.annotateLogs(Effect.logWarning("Redis is unavailable: requests are not counted"), {
      reason
    })
  }),
  ended: Effect.gen(function* () {
    if (yield* Ref.getAndSet(isAway, false))
      yield* Effect.logInfo("Redis is available again: requests are counted")
  })
}))

const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const outage = yield* makeOutage
  const current = yield* Ref.make(Option.none<RedisConnection>())
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(FAILURES),
    openDuration: OPEN
  })

  const connection = Effect.gen(function* () {
    const made = yield* connectRedis(url)
    yield* Ref.set(current, Option.some(made))
    // While the circuit is open a new connection proves nothing: the first request decides.
    const state = yield* breaker.state(circuit.key)
    if (state._tag === "Closed") yield* outage.ended
    return yield* made.lost
  }).pipe(
    Effect.scoped,
    Effect.ensuring(Ref.set(current, Option.none())),
    Effect.tapError(({ cause }) => outage.began(reasonOf(cause)))
  )
  yield* connection.pipe(Effect.retry(RECONNECT), Effect.forkScoped)

  const react = Effect.fnUntraced(function* ({ to }: CircuitBreaker.Transition) {
    yield* Metric.update(circuitState, stateNumbers[to])
    if (to === "Closed") yield* outage.ended
    const made = yield* Ref.get(current)
    // A fault of this connection ends with it.
    if (to === "Open" && Option.isSome(made)) yield* made.value.giveUp("it does not answer")
  })
  yield* Metric.update(circuitState, stateNumbers.Closed)
  yield* Stream.runForEach(breaker.transitions, react).pipe(Effect.forkScoped({ startImmediately: true }))

  /** Asks Redis. Fails at once without a connection or with an open circuit, else at the deadline. */
  const ask = <A>(question: (store: Store) => Effect.Effect<A, RateLimiter.RateLimiterError>) =>
    Effect.flatMap(
      Ref.get(current),
      Option.match({
        onNone: () => Effect.fail(storeError("Redis is not connected")),
        onSome: ({ store }) =>
          Effect.timeoutOrElse(question(store), {
            duration: PATIENCE,
            orElse: () => Effect.fail(storeError("Redis does not answer"))
          })
      })
    ).pipe(
      breaker.execute(circuit),
      Effect.mapError((error) =>
        error._tag === "CircuitBreakerError" ? storeError("Redis is left alone for now") : error
      )
    )

  return RateLimiter.RateLimiterStore.of({
    fixedWindow: (options) => ask((store) => store.fixedWindow(options)),
    tokenBucket: (options) => ask((store) => store.tokenBucket(options)),
    adaptiveConsume: (options) => ask((store) => store.adaptiveConsume(options)),
    adaptiveFeedback: (options) => ask((store) => store.adaptiveFeedback(options))
  })
}, Effect.provide(CircuitBreaker.layerStoreMemory()))

/**
 * Counters in Redis, shared by every process with the same URL (`redis://`, or `rediss://` over TLS). The service
 * starts without Redis and connects when it returns. Meanwhile every call fails after 250 ms. From the third failure
 * in a row it fails at once, except for one attempt every two seconds.
 */
export const layer = (url: Redacted.Redacted) => Layer.effect(RateLimiter.RateLimiterStore, make(url))
