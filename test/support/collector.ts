import { createServer, type IncomingHttpHeaders } from "node:http"
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"
import { listening } from "./listening.ts"

/** One request, as a collector received it. */
interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** An OpenTelemetry collector that keeps what it receives; closed with the scope. */
export const collector = Effect.gen(function* () {
  const received: Array<Received> = []
  /**
   * The way in which it answers: with one status, or with another one for a path. A silent one takes requests and answers
   * none.
   */
  const state = {
    status: 200,
    statuses: new Map<string, number>(),
    text: "{}",
    isSilent: false,
    open: 0,
    mostOpen: 0
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    state.mostOpen = Math.max(state.mostOpen, (state.open += 1))
    response.on("close", () => (state.open -= 1))
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, url: path = "" } = request
      const body = Buffer.concat(chunks)
      const bytes = headers["content-encoding"] === "gzip" ? gunzipSync(body) : body
      received.push({ path, headers, text: bytes.toString() })
      const status = state.statuses.get(path) ?? state.status
      if (!state.isSilent) response.writeHead(status).end(state.text)
    })
  })
  const port = yield* listening(server)
  return { url: `http://127.0.0.1:${port}`, received, state }
})
