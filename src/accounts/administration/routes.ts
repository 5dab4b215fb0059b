import { Effect, Layer } from "effect"
import { RpcServer } from "effect/rpc"
import { UploadsRpcs } from "../../../schemas/publishing/uploads/rpc.ts"
import { Administrators } from "./Administrators.ts"

/** What only an administrator does, over HTTP with lines of JSON; the path is not there without an `ADMIN_TOKEN`. */
export const RpcLive = Layer.unwrap(
  Effect.map(Administrators, ({ isOn }) =>
    isOn ? RpcServer.layerHttp({ group: UploadsRpcs, path: "/rpc", protocol: "http" }) : Layer.empty
  )
)
