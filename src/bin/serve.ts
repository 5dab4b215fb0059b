import { createServer } from "node:http"
import { resolve } from "node:path"
import { NodeHttpServer } from "@effect/platform-node"
import { Console, Effect, Layer, Option, ByteSize } from "effect"
import { HttpIncomingMessage, HttpServer } from "effect/http"
import { ports } from "../../layers/live.ts"
import type { Settings } from "../../layers/settings.ts"
import { background, domain, http } from "../app.ts"
import { answerBadRequest } from "./badRequest.ts"

/** A JSON body is at most this large (contract of all operations). */
const BODY_MAX = ByteSize.mebibytes(1)

/** Against clients that send slowly on purpose: 5 seconds for the headers, 15 for the whole request. */
const nodeServer = () => {
  const server = createServer({
    headersTimeout: 5_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 75_000,
    maxHeaderSize: 16_384
  })
  server.on("clientError", answerBadRequest)
  return server
}

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
export const serve = (settings: Settings) => {
  const world = ports(settings)
  const services = domain.pipe(Layer.provideMerge(world))
  const listener = NodeHttpServer.layer(nodeServer, {
    host: settings.HOST,
    port: settings.PORT,
    gracefulShutdownTimeout: "10 seconds"
  })
  return Layer.mergeAll(http, announce(settings)).pipe(
    Layer.provide(Layer.succeed(HttpIncomingMessage.MaxBodySize, BODY_MAX)),
    Layer.provide(listener),
    Layer.provide(background),
    Layer.provide(services)
  )
}
