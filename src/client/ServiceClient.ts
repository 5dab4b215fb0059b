import { Context, Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { RpcClient, RpcMiddleware } from "effect/rpc"
import { PayloadTooLarge, Unavailable } from "../../schemas/platform/errors/common.ts"
import { NotAdministrator, Operator } from "../../schemas/platform/security/administrator.ts"
import { PUBLISHING_KEY_HEADER } from "../../schemas/platform/security/publisher.ts"
import { ServiceRpcs } from "../../schemas/ServiceRpcs.ts"
import { connected, detailOf, explained, refusalOf, type RpcClientOptions } from "./rpcConnection.ts"

const ActingKey = Context.Reference<Redacted.Redacted | undefined>(
  "pennypress/client/ServiceClient/ActingKey",
  {
    defaultValue: () => undefined
  }
)

/** Sends this Publishing key with the calls of service clients, which then act for its owner. Public reads need none. */
export const onBehalfOf =
  (key: Redacted.Redacted) =>
  <A, E, R>(calls: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(calls, ActingKey, key)

/** Sends the key as a header of the request, as headers with this name are hidden where requests are shown. */
const withKey = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.map(ActingKey, (key) =>
    key === undefined
      ? request
      : HttpClientRequest.setHeader(request, PUBLISHING_KEY_HEADER, Redacted.value(key))
  )

/**
 * Turns the refusal of a whole request into an error class that the caller can catch, with the service's own message.
 */
const refusals = RpcMiddleware.layerClient(Operator, ({ next, request }) =>
  Effect.catch(
    next(request),
    Effect.fnUntraced(function* (error) {
      switch (refusalOf(error)?.status) {
        case 401:
          return yield* new NotAdministrator()
        case 413:
          return yield* new PayloadTooLarge(yield* detailOf(error))
        case 503:
          return yield* new Unavailable(yield* detailOf(error))
        default:
          return yield* Effect.fail(explained(error))
      }
    })
  )
)

/**
 * Makes a client with one method for each procedure for another service, for the time of the scope. Needs an `HttpClient`.
 *
 * ```ts
 * const client = yield* makeServiceClient({ baseUrl, token })
 * const { post } = yield* client["posts.create"]({ draft, idempotencyKey }).pipe(onBehalfOf(key))
 * ```
 */
export const makeServiceClient = (options: RpcClientOptions) =>
  RpcClient.make(ServiceRpcs).pipe(
    connected(options, (client) => HttpClient.mapRequestEffect(client, withKey)),
    Effect.provide(refusals)
  )

/** The client of the procedures for another service. */
export type ServiceClient = Effect.Success<ReturnType<typeof makeServiceClient>>
