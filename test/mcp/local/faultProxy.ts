import { createHash } from "node:crypto"
import { createServer, request as forward } from "node:http"
import { Effect } from "effect"
import { listening } from "../../support/listening.ts"

/** A request that passed the proxy. */
interface Passed {
  readonly method: string
  readonly path: string
  readonly key: string | undefined
  /** SHA-256 of the body as it came over the socket. */
  readonly body: string
  readonly fault: Fault | undefined
}

/**
 * Trouble of one request: it never arrives, its answer is lost whole or behind its first half, or the proxy answers itself
 * after the service did what was asked.
 */
export type Fault = "unsent" | "lost" | "cut" | "busy" | "down"

const STATUSES = { busy: 429, down: 503 } as const

/** A proxy between the local edition and a service on sockets, which counts what passes and makes trouble. */
export const faultProxy = Effect.fnUntraced(function* (target: string) {
  const passed: Array<Passed> = []
  const plan: { faultOf: (request: Omit<Passed, "fault">) => Fault | undefined } = {
    faultOf: () => undefined
  }
  const server = createServer((request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const body = Buffer.concat(parts)
      const { headers, method = "", url = "" } = request
      const seen = {
        method,
        path: url,
        key: headers["idempotency-key"]?.toString(),
        body: createHash("sha256").update(body).digest("hex")
      }
      const fault = plan.faultOf(seen)
      passed.push({ ...seen, fault })
      if (fault === "unsent") return void request.socket.destroy()
      const onward = forward(new URL(url, target), { method, headers }, (answer) => {
        const answered: Array<Buffer> = []
        answer.on("data", (part: Buffer) => answered.push(part))
        answer.on("end", () => {
          const whole = Buffer.concat(answered)
          if (fault === "lost") return void request.socket.destroy()
          if (fault === "busy" || fault === "down") {
            return void response.writeHead(STATUSES[fault], { "retry-after": "1" }).end("<h1>Try later</h1>")
          }
          const { "transfer-encoding": _, ...kept } = answer.headers
          response.writeHead(answer.statusCode ?? 502, { ...kept, "content-length": whole.length })
          if (fault !== "cut") return void response.end(whole)
          response.write(whole.subarray(0, whole.length / 2), () => request.socket.destroy())
        })
      })
      onward.on("error", () => response.destroy())
      onward.end(body)
    })
  })
  return { passed, plan, origin: `http://127.0.0.1:${yield* listening(server)}` }
})
