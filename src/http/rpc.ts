import { Effect, Layer } from "effect"
import { RpcServer } from "effect/rpc"
import { UploadsRpcs } from "../../schemas/uploads/rpc.ts"
import { Administrators } from "../administration/Administrators.ts"

/** Where procedures are called, over HTTP with JSON. */
export const RPC_PATH = "/rpc"

/** What only an administrator does; the path is not there without an `ADMIN_TOKEN`. */
export const RpcLive = Layer.unwrap(
  Effect.map(Administrators, ({ isOn }) =>
    isOn ? RpcServer.layerHttp({ group: UploadsRpcs, path: RPC_PATH, protocol: "http" }) : Layer.empty
  )
)
