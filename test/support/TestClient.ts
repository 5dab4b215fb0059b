import { Context, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { type SqlClient } from "effect/sql"
import * as SignalsAlone from "../../layers/testing/SignalsAlone.ts"
import { ports } from "../../layers/testing/testing.ts"
import { PublicBaseUrl } from "../../schemas/platform/errors/PublicBaseUrl.ts"
import { domain } from "../../src/app.ts"
import { routerConfig } from "../../src/platform/http/exactPaths.ts"
import { type Settings, withSettings } from "../../src/platform/ports/Settings.ts"
import { checkAgainstContract, operationOf } from "./contract.ts"
import { pool } from "./Database.ts"
import { webApp, type WebAnswer } from "./webApp.ts"

/** The origin that the service under test writes into its answers. */
export const BASE_URL = "https://press.test"

export interface TestRequest {
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; text and bytes are sent unchanged. */
  readonly body?: unknown
  /** The value of a Bearer Authorization header. */
  readonly token?: string
  /** The address of the connection; unknown when absent. */
  readonly from?: string
}

/** The place of a program of this machine, which addresses the service by its local name. */
export const LOCAL = { from: "127.0.0.1", headers: { host: "localhost:4020" } } as const satisfies TestRequest

export type TestAnswer = WebAnswer

/**
 * The whole service without a socket: requests pass through the router, the domain and a real database. The answer of an
 * operation is checked against its contract, and each answer for the headers that all answers have.
 */
export class TestClient extends Context.Service<
  TestClient,
  {
    readonly send: (method: string, path: string, request?: TestRequest) => Effect.Effect<TestAnswer>
  }
>()("pennypress/test/support/TestClient") {
  static readonly layer = Layer.effect(
    TestClient,
    Effect.gen(function* () {
      const answer = yield* webApp

      return TestClient.of({
        send: Effect.fnUntraced(function* (method, path, { body, from, headers = {}, token } = {}) {
          const hasBody = body !== undefined
          const isRaw = typeof body === "string" || body instanceof Uint8Array
          const request = new Request(`${BASE_URL}${path}`, {
            method,
            headers: {
              ...(hasBody ? { "content-type": "application/json" } : {}),
              ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
              ...headers
            },
            ...(hasBody
              ? { body: isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body) }
              : {})
          })
          const response = yield* answer(request, from)
          if (response.headers.get("x-request-id") === null)
            throw new Error(`${method} ${path} has no request id`)
          const operation = operationOf(method, new URL(request.url).pathname)
          if (operation !== undefined && method !== "HEAD") {
            const isBytes = response.headers.get("content-type") === "application/zip"
            const text = response.text === "" ? undefined : isBytes ? new Uint8Array() : response.text
            yield* checkAgainstContract(operation, response.status, response.body ?? text)
          }
          return response
        })
      })
    })
  )
}

/** High enough that a test meets only the limits it tests. */
const UNLIMITED = 1_000_000

type Ports = ReturnType<typeof ports>

/** Choices of a test: settings of the service, which has no rate limits unless `rateLimitFactor` brings them back. */
export interface ServiceOptions extends Partial<Omit<Settings, "adminToken">> {
  /** The origin that the service writes, in place of `BASE_URL`. */
  readonly baseUrl?: string
  /** Turns administration on. */
  readonly adminToken?: string
  /** False for one of several processes, which keeps no public answers unless its database's layer has signals. */
  readonly isAlone?: boolean
  /** Replaces some of the ports, and may build on those it replaces. */
  readonly changePorts?: (ports: Ports) => Ports
}

/** The one assembly of the tests: the domain and its client over a database. Assemblies that share it need different seeds. */
export const service = <E>(
  database: Layer.Layer<SqlClient.SqlClient, E>,
  seed = 1,
  {
    adminToken,
    baseUrl = BASE_URL,
    changePorts = (unchanged) => unchanged,
    isAlone = true,
    ...settings
  }: ServiceOptions = {}
) =>
  TestClient.layer.pipe(
    Layer.provideMerge(domain),
    Layer.provideMerge(changePorts(ports(seed))),
    Layer.provideMerge(isAlone ? SignalsAlone.layer : Layer.empty),
    Layer.provideMerge(database),
    Layer.provideMerge(Layer.succeed(PublicBaseUrl, baseUrl)),
    Layer.provideMerge(
      withSettings({
        rateLimitFactor: UNLIMITED,
        ...settings,
        adminToken: adminToken === undefined ? undefined : Redacted.make(adminToken)
      })
    ),
    Layer.provideMerge(Layer.succeed(HttpRouter.RouterConfig, routerConfig)),
    Layer.provideMerge(HttpServer.layerServices)
  )

/** Builds the service over the database at this address, as one process of several. It ends with the scope. */
export const processOver = (url: Redacted.Redacted, seed: number, options: ServiceOptions = {}) =>
  Layer.build(Layer.fresh(service(pool(url), seed, { isAlone: false, ...options })))
