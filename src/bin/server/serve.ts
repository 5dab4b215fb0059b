import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer, Schedule } from "effect"
import { HttpIncomingMessage, HttpServer } from "effect/http"
import type { Environment } from "../../../layers/config/environment.ts"
import { type Given, ports } from "../../../layers/live.ts"
import { SMALL_BODY_BYTES_MAX } from "../../../schemas/platform/BodyBytesMax.ts"
import { background, domain, http } from "../../app.ts"
import { MetricsText } from "../../platform/http/metrics.ts"
import { connectionOf } from "../../platform/rate-limits/clientAddress.ts"
import { announce } from "./announce.ts"
import { connectionsEnded, stopAccepting } from "./drain.ts"
import * as KeptAnswers from "./keptAnswers.ts"
import { SERVER_LIMITS, type ServerLimits } from "./limits.ts"
import { makeNodeServer } from "./nodeServer.ts"
import { startPhase } from "./startPhase.ts"

/** Bounds bodies outside the operations, which have bounds of their own. */
const BODY_MAX = ByteSize.bytes(SMALL_BODY_BYTES_MAX)

/** Runs a function when the layer ends. */
const atEnd = (run: () => void) => Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(run)))

/** Ties of the service to the program that hosts it. */
export interface Hosting extends Given {
  /**
   * Runs once the server listens, instead of the announcement. The given effect ends when the last connection has
   * ended.
   */
  readonly listening?: ((address: string, drain: Effect.Effect<void>) => Effect.Effect<void>) | undefined
  /** The metrics of all processes that serve. */
  readonly metrics?: Effect.Effect<string> | undefined
}

const announced = (listening: (address: string) => Effect.Effect<void>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      yield* startPhase("listening")
      yield* listening(HttpServer.formatAddress(server.address))
    })
  )

/** Checks the server at equal intervals, and logs the clients that were cut. */
const watch = (check: () => number, checkMs: number) =>
  Effect.sync(check).pipe(
    Effect.tap((cuts) =>
      cuts === 0
        ? Effect.void
        : Effect.logWarning("Clients that did not read their answers were cut off", { cuts })
    ),
    Effect.repeat(Schedule.spaced(checkMs)),
    Effect.forkScoped,
    Layer.effectDiscard
  )

/**
 * Serves at the configured address. The listener is built over the domain: it binds once the pool is open and the
 * schema is current. When it closes, requests in flight have ten seconds to finish before the pool closes.
 */
export const serve = (
  environment: Environment,
  overrides: Partial<ServerLimits> = {},
  hosting: Hosting = {}
) => {
  const limits = { ...SERVER_LIMITS, ...overrides }
  const { answerFirst, check, cutConnections, leave, server, stopKeepingAlive } = makeNodeServer({
    limits,
    baseUrl: environment.PUBLIC_BASE_URL,
    clientOf: (address) => connectionOf(address, environment.TRUSTED_PROXIES)
  })
  /** Ends the service without losing a request: the longest upload has its time, or ten seconds after a stop. */
  const drain = Effect.sync(() => {
    stopKeepingAlive()
    stopAccepting(server)
  }).pipe(
    Effect.andThen(connectionsEnded(server, limits.uploadMs)),
    Effect.onInterrupt(() => connectionsEnded(server, limits.shutdownMs))
  )
  const { listening = (address: string) => announce(environment, address), metrics } = hosting
  const world = ports(environment, hosting)
  const services = domain.pipe(Layer.provideMerge(world))
  const listener = NodeHttpServer.layer(() => server, {
    host: environment.HOST,
    port: environment.PORT,
    gracefulShutdownTimeout: limits.shutdownMs
  })
  return Layer.mergeAll(
    atEnd(stopKeepingAlive),
    watch(check, limits.checkMs),
    KeptAnswers.layer(answerFirst, leave),
    announced((address) => listening(address, drain))
  ).pipe(
    Layer.provideMerge(http),
    Layer.provide(metrics === undefined ? Layer.empty : Layer.succeed(MetricsText, metrics)),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, BODY_MAX)),
    Layer.provide(atEnd(cutConnections)),
    Layer.provide(listener),
    Layer.provide(background),
    Layer.provide(services)
  )
}
