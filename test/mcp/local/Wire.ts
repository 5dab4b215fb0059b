import { Context, Effect, Layer } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import { webApp } from "../../support/webApp.ts"

/** A request as it left the local edition. */
export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Trouble of one request: it never arrives, its answer is lost, or something else answers. */
export type Trouble = "lost" | "unsent" | Response

/** The way between the local edition and the routes of the service: it keeps what was sent, and makes trouble. */
export class Wire extends Context.Service<
  Wire,
  {
    readonly sent: Array<Sent>
    /** Says what happens to a request; undefined for no trouble. */
    trouble: (request: Sent) => Trouble | undefined
  }
>()("pennypress/test/mcp/local/Wire") {
  static readonly layer = Layer.sync(Wire, () => ({ sent: [], trouble: () => undefined }))
}

const lost = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.HttpClientError({
    reason: new HttpClientError.TransportError({ request, description: "The connection was lost" })
  })

/** Sends the requests of the local edition to every route of the service, without a socket. */
export const overRoutes = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const wire = yield* Wire
    const answer = yield* webApp

    return HttpClient.make(
      Effect.fnUntraced(function* (request, url) {
        const web = yield* Effect.orDie(HttpClientRequest.toWeb(request))
        const body = yield* Effect.promise(() => web.clone().text())
        const { headers, method } = request
        const sent: Sent = { method, path: url.pathname, headers: { ...headers }, body }
        wire.sent.push(sent)
        const trouble = wire.trouble(sent)
        if (trouble === "unsent") return yield* lost(request)
        if (trouble instanceof Response) return HttpClientResponse.fromWeb(request, trouble)
        const { bytes, headers: answered, status } = yield* answer(new Request(url, web))
        if (trouble === "lost") return yield* lost(request)
        const isEmpty = status === 204 || status === 304
        return HttpClientResponse.fromWeb(
          request,
          new Response(isEmpty ? null : bytes, { status, headers: answered })
        )
      })
    )
  })
)

/** Makes trouble for the next requests that a test picks, this many times. */
export const troubled = Effect.fnUntraced(function* (
  picked: (request: Sent) => boolean,
  trouble: Trouble,
  times = 1
) {
  const wire = yield* Wire
  let left = times
  wire.trouble = (request) => (picked(request) && left-- > 0 ? trouble : undefined)
})

/** Ends all trouble. */
export const noTrouble = troubled(() => false, "lost")
