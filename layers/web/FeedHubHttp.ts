import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Context, Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { FeedHub, HubRefused, HubUnavailable } from "../../src/platform/ports/FeedHub.ts"

/** Time for the hub to answer. It fetches the feed afterwards. */
const PATIENCE = "10 seconds"
const CONNECT_MILLIS = 3_000
/** Maximum number of bytes of an answer. No part of it is needed. */
const ANSWER_BYTES_MAX = 64 * 1024

/** Statuses after which a hub may accept the same ping. */
const isPassing = (status: number) => status >= 500 || status === 408 || status === 429

const make = Effect.fnUntraced(function* (url: string) {
  const context = yield* Layer.build(
    NodeHttpClient.layerUndiciOptions({
      connect: { timeout: CONNECT_MILLIS },
      maxResponseSize: ANSWER_BYTES_MAX
    })
  )
  const client = HttpClient.withScope(Context.get(context, HttpClient.HttpClient))

  const ping = Effect.fn("FeedHubHttp.ping")(function* (feedUrl: string) {
    // Hubs differ in the name of the parameter, and take both.
    const request = HttpClientRequest.post(url).pipe(
      HttpClientRequest.setHeader("user-agent", "pennypress"),
      HttpClientRequest.bodyUrlParams({ "hub.mode": "publish", "hub.url": feedUrl, "hub.topic": feedUrl })
    )
    const { status } = yield* client.execute(request)
    if (status >= 200 && status < 300) return
    if (isPassing(status)) return yield* new HubUnavailable({ reason: "deferred" })
    return yield* new HubRefused({ status })
  })

  return {
    url,
    ping: (feedUrl) =>
      ping(feedUrl).pipe(
        // Ends the connection of an answer that is not read.
        Effect.scoped,
        Effect.catchTag("HttpClientError", () => Effect.fail(new HubUnavailable({ reason: "unreachable" }))),
        Effect.timeoutOrElse({
          duration: PATIENCE,
          orElse: () => Effect.fail(new HubUnavailable({ reason: "timeout" }))
        })
      )
  } satisfies FeedHub
})

/** A hub that takes pings over HTTP, as WebSub hubs do. It follows no redirection. */
export const layer = (url: string) => Layer.effect(FeedHub, make(url))
