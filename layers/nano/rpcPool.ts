import { type Array, Duration, Effect, Exit, Metric, Option, Schedule, Stream } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { RpcFailure } from "./rpcCall.ts"
import type { RpcServer, RpcServers } from "./rpcUrl.ts"

/** Failures in a row that open a server's circuit. */
const FAILURES = 5
/**
 * The time until a call tries the server again. A node answers within seconds or not at all, and payers wait for it. A
 * work server keeps a call waiting for long, so it is tried less often.
 */
const OPEN = {
  node: "2 seconds",
  work: Schedule.min([Schedule.exponential("2 seconds"), Schedule.spaced("1 minute")])
} as const

const calls = Metric.counter("ledger_calls_total", {
  description: "Calls of Nano servers, by server, action and outcome",
  incremental: true
})
const circuitState = Metric.gauge("ledger_circuit_state", {
  description: "The circuit breaker before each Nano server: 0 closed, 1 half open, 2 open"
})
const stateNumbers = { Closed: 0, HalfOpen: 1, Open: 2 } as const

/** A question to one server. Errors other than {@link RpcFailure} are answers. */
type Question<A, E> = (server: RpcServer) => Effect.Effect<A, RpcFailure | E>

/** A server behind its circuit breaker. */
export interface RpcMember {
  readonly server: RpcServer
  /** Asks the server, unless it failed too often just now. */
  readonly ask: <A, E>(action: string, question: Question<A, E>) => Effect.Effect<A, RpcFailure | E>
  /** True while the server is left alone. */
  readonly isAway: Effect.Effect<boolean>
  /** True from the moment that the server is left alone until it answers again. */
  readonly isFailing: Effect.Effect<boolean>
}

const isRpcFailure = (error: unknown): error is RpcFailure => error instanceof RpcFailure

/**
 * Tells whether the server is at fault. A payer chooses the block that is published, so an error of the server's own in
 * answer to it does not put the server at fault. A server of another network is not at fault, either: it is not used at
 * all.
 */
const outcomeOf =
  (action: string) =>
  (exit: Exit.Exit<unknown, unknown>): CircuitBreaker.Outcome => {
    if (Exit.isSuccess(exit)) return CircuitBreaker.success
    const error = Option.getOrUndefined(Exit.findErrorOption(exit))
    if (!isRpcFailure(error)) return error === undefined ? CircuitBreaker.failure() : CircuitBreaker.success
    if (error.reason === "network" || error.reason === "gap") return CircuitBreaker.ignored
    return error.reason === "error" && action === "process"
      ? CircuitBreaker.ignored
      : CircuitBreaker.failure()
  }

const count = (server: string, action: string) => (exit: Exit.Exit<unknown, unknown>) => {
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  const outcome = isRpcFailure(error) ? error.reason : error === undefined ? "ok" : "rejected"
  return Metric.update(Metric.withAttributes(calls, { server, action, outcome }), 1)
}

/**
 * Guards each server with a circuit breaker of its own, in memory, and logs when a server goes away and returns. `role`
 * tells apart the uses of one server.
 */
export const makePool = Effect.fnUntraced(function* (servers: RpcServers, role: "node" | "work") {
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(FAILURES),
    openDuration: OPEN[role]
  })
  const lastFailures = new Map<string, string>()

  const isIn = ({ name }: RpcServer, is: (state: CircuitBreaker.State) => boolean) =>
    Effect.map(Effect.option(breaker.state(name)), Option.exists(is))

  const memberOf = (server: RpcServer): RpcMember => ({
    server,
    ask: (action, question) => {
      const asked = Effect.tapError(question(server), (error) =>
        Effect.sync(() => {
          if (isRpcFailure(error)) lastFailures.set(server.name, `${error.reason} ${error.detail}`.trim())
        })
      )
      return breaker
        .execute(Effect.onExit(asked, count(server.name, action)), {
          key: server.name,
          classify: outcomeOf(action)
        })
        .pipe(
          Effect.catchIf(
            (error) => error instanceof CircuitBreaker.CircuitBreakerError,
            () => Effect.fail(new RpcFailure({ reason: "unreachable", detail: "left alone for now" }))
          )
        )
    },
    isAway: isIn(
      server,
      (state) => state._tag === "Open" && Duration.isGreaterThan(state.retryAfter, Duration.zero)
    ),
    isFailing: isIn(server, (state) => state._tag !== "Closed")
  })

  const react = Effect.fnUntraced(function* ({ from, key, to }: CircuitBreaker.Transition) {
    const labels = { server: key, role }
    yield* Metric.update(Metric.withAttributes(circuitState, labels), stateNumbers[to])
    if (to === "Open" && from === "Closed") {
      yield* Effect.annotateLogs(Effect.logWarning("A Nano server is unavailable"), {
        ...labels,
        reason: lastFailures.get(key) ?? ""
      })
    }
    if (to === "Closed")
      yield* Effect.annotateLogs(Effect.logInfo("A Nano server is available again"), labels)
  })
  yield* Effect.forEach(servers, ({ name }) =>
    Metric.update(Metric.withAttributes(circuitState, { server: name, role }), stateNumbers.Closed)
  )
  yield* Stream.runForEach(breaker.transitions, react).pipe(Effect.forkScoped({ startImmediately: true }))

  const [first, ...others] = servers
  const members: Array.NonEmptyReadonlyArray<RpcMember> = [memberOf(first), ...others.map(memberOf)]
  return members
}, Effect.provide(CircuitBreaker.layerStoreMemory()))
