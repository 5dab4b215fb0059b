import { Context, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { type SqlClient } from "effect/sql"
import { ports } from "../../layers/testing/testing.ts"
import { PublicBaseUrl } from "../../schemas/platform/errors/Problem.ts"
import { domain, routerConfig } from "../../src/app.ts"
import { withSettings } from "../../src/platform/settings/Settings.ts"
import { checkAgainstContract, operationOf } from "./contract.ts"
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
            yield* checkAgainstContract(operation, response.status, response.body ?? undefined)
          }
          return response
        })
      })
    })
  )
}

/** High enough that a test meets only the limits it tests. */
const UNLIMITED = 1_000_000

export interface ServiceOptions {
  readonly rateLimitFactor?: number
  /** Turns administration on. */
  readonly adminToken?: string
}

/**
 * The domain and its client over a database. Assemblies that share a database need different seeds. Limits are those of
 * the table times `rateLimitFactor`.
 */
export const service = <E>(
  database: Layer.Layer<SqlClient.SqlClient, E>,
  seed = 1,
  { adminToken, rateLimitFactor = UNLIMITED }: ServiceOptions = {}
) =>
  TestClient.layer.pipe(
    Layer.provideMerge(domain),
    Layer.provideMerge(ports(seed)),
    Layer.provideMerge(database),
    Layer.provideMerge(Layer.succeed(PublicBaseUrl, BASE_URL)),
    Layer.provideMerge(
      withSettings({
        adminToken: adminToken === undefined ? undefined : Redacted.make(adminToken),
        rateLimitFactor
      })
    ),
    Layer.provideMerge(Layer.succeed(HttpRouter.RouterConfig, routerConfig)),
    Layer.provide(HttpServer.layerServices)
  )
