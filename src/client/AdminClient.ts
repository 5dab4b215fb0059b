import { Effect } from "effect"
import { RpcClient, RpcMiddleware } from "effect/rpc"
import { AdministratorRpcs } from "../../schemas/AdministratorRpcs.ts"
import { Administrator, NotAdministrator } from "../../schemas/platform/security/administrator.ts"
import { connected, explained, refusalOf, type RpcClientOptions } from "./rpcConnection.ts"

/** Fails a call with `NotAdministrator` when the service refuses the token of its request. */
const refusals = RpcMiddleware.layerClient(Administrator, ({ next, request }) =>
  Effect.mapError(next(request), (error) =>
    refusalOf(error)?.status === 401 ? new NotAdministrator() : explained(error)
  )
)

/** Makes a client with one method for each administrator procedure, until the scope closes. Needs an `HttpClient`. */
export const makeAdminClient = (options: RpcClientOptions) =>
  RpcClient.make(AdministratorRpcs).pipe(connected(options), Effect.provide(refusals))
