import { Effect, Layer } from "effect"
import { RpcServer } from "effect/rpc"
import { AdministratorRpcs } from "../../../schemas/AdministratorRpcs.ts"
import { Administrators } from "./Administrators.ts"

/** Serves the procedures of administrators, as lines of JSON over HTTP. The path needs an `ADMIN_TOKEN`. */
export const RpcLive = Layer.unwrap(
  Effect.map(Administrators, ({ isOn }) =>
    isOn ? RpcServer.layerHttp({ group: AdministratorRpcs, path: "/rpc", protocol: "http" }) : Layer.empty
  )
)
