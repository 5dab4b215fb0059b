import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http"
import { Effect } from "effect"
import { listening } from "../../../support/listening.ts"

/** The fate of a request on its way. */
export type Fault =
  /** The proxy gives this answer itself, and the request does not arrive. */
  | { readonly status: number; readonly code: string }
  /** The proxy cuts the connection after this many bytes of the request's body. */
  | { readonly cutRequest: number }
  /** The request arrives, and the proxy cuts the connection after this many bytes of the answer's body. */
  | { readonly cutAnswer: number }
  /** The request arrives. This many bytes of the answer's body come, and then nothing. */
  | { readonly stallAnswer: number }
  /** The request arrives, and the proxy drops the answer. */
  | "lost"
  /** The proxy never answers. */
  | "silent"

const page = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>told</Message></Error>`

const cutBody = (
  source: IncomingMessage,
  sink: { write: (chunk: Buffer) => unknown },
  bytes: number,
  end: () => void
) => {
  let left = bytes
  source.on("data", (chunk: Buffer) => {
    if (left <= 0) return
    sink.write(chunk.subarray(0, left))
    left -= chunk.length
    if (left <= 0) setImmediate(end)
  })
}

const forward = (
  target: string,
  fault: Fault | undefined,
  request: IncomingMessage,
  response: ServerResponse
) => {
  const cut = () => {
    upstream.destroy()
    request.socket.destroy()
  }
  const upstream = send(
    new URL(request.url ?? "/", target),
    { method: request.method ?? "GET", headers: request.headers },
    (answer) => {
      if (fault === "lost") {
        answer.resume().on("end", cut)
        return
      }
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      if (typeof fault === "object" && "cutAnswer" in fault) cutBody(answer, response, fault.cutAnswer, cut)
      else if (typeof fault === "object" && "stallAnswer" in fault) {
        cutBody(answer, response, fault.stallAnswer, () => {})
      } else answer.pipe(response)
      answer.on("error", cut)
    }
  )
  upstream.on("error", cut)
  response.on("close", () => upstream.destroy())
  if (typeof fault === "object" && "cutRequest" in fault) cutBody(request, upstream, fault.cutRequest, cut)
  else request.pipe(upstream)
}

/** Controls the proxy in a test, and shows its requests. */
interface S3Proxy {
  /** URL of the store through the proxy. */
  readonly url: string
  /** Returns the fate of a request with this method and URL. Called for each request. */
  readonly faults: { next: (method: string, url: string) => Fault | undefined }
  /** The methods and URLs of the requests, in order. */
  readonly seen: ReadonlyArray<string>
  /** Returns the number of answers that were not read to their end. */
  readonly aborted: () => number
}

/** Starts a proxy before the store of an S3 URL, until the scope closes. */
export const s3Proxy = Effect.fnUntraced(function* (url: string) {
  const parsed = new URL(url)
  const target = parsed.searchParams.get("endpoint") ?? ""
  const seen: Array<string> = []
  const faults: S3Proxy["faults"] = { next: () => undefined }
  let aborted = 0
  const server = createServer((request, response) => {
    const { method = "", url = "" } = request
    seen.push(`${method} ${url}`)
    response.on("close", () => (aborted += response.writableFinished ? 0 : 1))
    request.on("error", () => {})
    const fault = faults.next(method, url)
    if (fault === "silent") return void request.resume()
    if (typeof fault !== "object" || !("status" in fault)) return forward(target, fault, request, response)
    request.resume().on("end", () => {
      response.writeHead(fault.status, { "content-type": "application/xml" })
      response.end(request.method === "HEAD" ? "" : page(fault.code))
    })
  })
  const port = yield* listening(server)
  parsed.searchParams.set("endpoint", `http://127.0.0.1:${port}`)
  return { url: parsed.href, faults, seen, aborted: () => aborted } satisfies S3Proxy
})

/** Applies the fault to the first `times` requests with this method and this text in their URL. */
export const firstOf = (method: string, times: number, fault: Fault, inUrl = "") => {
  let left = times
  return (asked: string, url: string) =>
    asked === method && url.includes(inUrl) && left-- > 0 ? fault : undefined
}
