import { createServer } from "node:http"
import { Effect } from "effect"

/** An OpenTelemetry collector that keeps every text it receives; closed with the scope. */
export const collector = Effect.acquireRelease(
  Effect.callback<{
    readonly url: string
    readonly received: ReadonlyArray<string>
    readonly close: () => void
  }>((resume) => {
    const received: Array<string> = []
    const server = createServer((request, response) => {
      let text = ""
      request.on("data", (chunk: Buffer) => (text += chunk.toString()))
      request.on("end", () => {
        received.push(text)
        response.end("{}")
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, received, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)
