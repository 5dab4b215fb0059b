import { createServer, type Server } from "node:http"
import { resolve } from "node:path"
import { NodeHttpServer } from "@effect/platform-node"
import { ByteSize, Console, Effect, Layer, Option } from "effect"
import { HttpIncomingMessage, HttpServer } from "effect/http"
import { ports } from "../../layers/live.ts"
import type { Settings } from "../../layers/settings.ts"
import { background, domain, http } from "../app.ts"
import { answerBadRequest } from "./badRequest.ts"

/** A JSON body is at most this large (contract of all operations). */
const BODY_MAX = ByteSize.mebibytes(1)

/** How long the service waits for others, in milliseconds. */
export interface Patience {
  /** For the headers of a request, against clients that send slowly on purpose. */
  readonly headersMs: number
  /** For a whole request, its body included. */
  readonly requestMs: number
  /** Between looks at whether these have passed, so that a request is cut this much later at most. */
  readonly checkMs: number
  /** For the next request of a connection. */
  readonly keepAliveMs: number
  /** For requests in flight when the service is told to stop. */
  readonly shutdownMs: number
}

const patience: Patience = {
  headersMs: 5_000,
  requestMs: 15_000,
  checkMs: 1_000,
  keepAliveMs: 75_000,
  shutdownMs: 10_000
}

const nodeServer = ({ checkMs, headersMs, keepAliveMs, requestMs }: Patience) => {
  const server = createServer({
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: checkMs,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16_384
  })
  server.on("clientError", answerBadRequest)
  return server
}

/**
 * Cuts connections that are left when requests have had their time. A server that closes waits for every connection,
 * and no longer looks at how long a client takes.
 */
const cutConnections = (server: Server) =>
  Layer.effectDiscard(Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections())))

const announce = (settings: Settings) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const address = HttpServer.formatAddress(server.address)
      yield* Console.log(`pennypress listening on ${address}`)
      yield* Console.log(
        Option.isSome(settings.DATABASE_URL)
          ? "The data is in the database of DATABASE_URL"
          : `The data is in ${resolve(settings.PENNYPRESS_DATA)}`
      )
      yield* Console.log(`Read the API at ${address}/docs, or let \`npm run demo\` publish a Post`)
    })
  )

/**
 * The service on its address. The listener is built over the domain, so that the socket is not bound before the pool
 * is open and the schema is current; when it closes, requests in flight have ten seconds to finish before the pool does.
 */
export const serve = (settings: Settings, overrides: Partial<Patience> = {}) => {
  const waits = { ...patience, ...overrides }
  const server = nodeServer(waits)
  const world = ports(settings)
  const services = domain.pipe(Layer.provideMerge(world))
  const listener = NodeHttpServer.layer(() => server, {
    host: settings.HOST,
    port: settings.PORT,
    gracefulShutdownTimeout: waits.shutdownMs
  })
  return Layer.mergeAll(http, announce(settings)).pipe(
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, BODY_MAX)),
    Layer.provide(cutConnections(server)),
    Layer.provide(listener),
    Layer.provide(background),
    Layer.provide(services)
  )
}
