import { resolve } from "node:path"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Console, Effect, Layer, Option, Schedule } from "effect"
import { HttpIncomingMessage, HttpServer } from "effect/http"
import type { Environment } from "../../../layers/config/environment.ts"
import { type Given, ports } from "../../../layers/live.ts"
import * as ProcessMetrics from "../../../layers/metrics/ProcessMetrics.ts"
import { assertClocks } from "../../../layers/postgres/clocks.ts"
import { SMALL_BODY_BYTES_MAX } from "../../../schemas/platform/BodyBytesMax.ts"
import { background, domain, http } from "../../app.ts"
import { Readiness } from "../../platform/ports/Readiness.ts"
import { connectionOf } from "../../platform/rate-limits/clientAddress.ts"
import { VERSION } from "../../version.ts"
import * as KeptAnswers from "./keptAnswers.ts"
import { SERVER_LIMITS, type ServerLimits } from "./limits.ts"
import { makeNodeServer } from "./nodeServer.ts"
import { startPhase } from "./startPhase.ts"

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/

/** Returns true when others can connect, but the URLs in answers name only this machine. */
const isUnreachable = ({ HOST, PUBLIC_BASE_URL }: Environment) =>
  LOOPBACK.test(new URL(PUBLIC_BASE_URL).hostname) && !LOOPBACK.test(HOST)

/** Prints the address at which the service listens, and the place of its data. */
const announce = Effect.fnUntraced(function* (environment: Environment, address: string) {
  yield* Console.log(`pennypress listening on ${address}`)
  yield* Console.log(
    Option.isSome(environment.DATABASE_URL)
      ? "The data is in the database of DATABASE_URL"
      : `The data is in ${resolve(environment.PENNYPRESS_DATA)}`
  )
  if (isUnreachable(environment)) {
    yield* Effect.logWarning(
      "PUBLIC_BASE_URL is an address of this machine, but HOST is not: set PUBLIC_BASE_URL to the origin that clients use",
      { baseUrl: environment.PUBLIC_BASE_URL }
    )
  }
  yield* Console.log(`Read the API at ${address}/docs, or let \`npm run demo\` publish a Post`)
})

/** Bounds bodies outside the operations, which have bounds of their own. */
const BODY_MAX = ByteSize.bytes(SMALL_BODY_BYTES_MAX)

/** Seconds for which one of several processes still answers once it stops, unless the environment says it. */
const DRAIN_SECONDS = 5

/** Returns the layer of a readiness that ends with the first step of a stop, and that step. */
const makeDraining = ({ DRAIN_SECONDS: chosen, REDIS_URL }: Environment, stopKeepingAlive: () => void) => {
  let isStopping = false
  const seconds = Option.getOrElse(chosen, () => (Option.isSome(REDIS_URL) ? DRAIN_SECONDS : 0))
  return {
    readiness: Layer.effect(
      Readiness,
      Effect.map(Readiness, ({ check, checkReads }) => {
        const unlessStopping = (checked: typeof check) =>
          Effect.suspend(() => (isStopping ? Effect.succeed(["stopping"]) : checked))
        return Readiness.of({
          check: unlessStopping(check),
          checkReads: unlessStopping(checkReads),
          isStopping: Effect.sync(() => isStopping)
        })
      })
    ),
    /** Answers as before, but closes each connection, until load balancers have left. */
    drain: Effect.gen(function* () {
      isStopping = true
      stopKeepingAlive()
      if (seconds === 0) return
      yield* Effect.logInfo("Stopping: /health/ready answers 503, so load balancers stop sending requests", {
        seconds
      })
      yield* Effect.sleep(`${seconds} seconds`)
    })
  }
}

/** Runs a function when the layer ends. */
const atEnd = (run: () => void) => Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(run)))

const announced = (environment: Environment) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      yield* startPhase("listening")
      yield* announce(environment, HttpServer.formatAddress(server.address))
    })
  )

/** Checks the server at equal intervals. */
const watch = (check: () => void, checkMs: number) =>
  Effect.sync(check).pipe(Effect.repeat(Schedule.spaced(checkMs)), Effect.forkScoped, Layer.effectDiscard)

/**
 * Serves at the configured address. The listener is built over the domain: it binds once the pool is open and the
 * schema is current. When it closes, requests in flight have ten seconds to finish before the pool closes.
 */
export const serve = (environment: Environment, overrides: Partial<ServerLimits> = {}, given: Given = {}) => {
  const limits = { ...SERVER_LIMITS, ...overrides }
  const { answerFirst, check, cutConnections, leave, server, stopKeepingAlive } = makeNodeServer({
    limits,
    baseUrl: environment.PUBLIC_BASE_URL,
    clientOf: (address) => connectionOf(address, environment.TRUSTED_PROXIES)
  })
  const world = ports(environment, given)
  const { drain, readiness } = makeDraining(environment, stopKeepingAlive)
  const services = domain.pipe(Layer.provideMerge(readiness), Layer.provideMerge(world))
  const listener = NodeHttpServer.layer(() => server, {
    host: environment.HOST,
    port: environment.PORT,
    gracefulShutdownTimeout: limits.shutdownMs
  })
  return Layer.mergeAll(
    Layer.effectDiscard(Effect.addFinalizer(() => drain)),
    watch(check, limits.checkMs),
    ProcessMetrics.layer(VERSION, environment.PENNYPRESS_DATA),
    KeptAnswers.layer(answerFirst, leave),
    announced(environment)
  ).pipe(
    Layer.provideMerge(http),
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, BODY_MAX)),
    Layer.provide(atEnd(cutConnections)),
    Layer.provide(listener),
    Layer.provide(background),
    Layer.provide(Layer.effectDiscard(assertClocks)),
    Layer.provide(services)
  )
}
