import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { sendWith } from "./rpcCall.ts"

/** Maximum bytes of an answer. */
const ANSWER_BYTES_MAX = 1024 * 1024

/** Time to connect. */
const CONNECT_MILLIS = 1000

/** Makes a client with connections of its own, which end with the scope. It follows no redirection. */
export const connectRpc = Effect.map(
  Layer.build(
    NodeHttpClient.layerUndiciOptions({
      connect: { timeout: CONNECT_MILLIS },
      maxResponseSize: ANSWER_BYTES_MAX
    })
  ),
  (context) => sendWith(Context.get(context, HttpClient.HttpClient))
)
