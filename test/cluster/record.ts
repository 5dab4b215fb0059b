import { Effect } from "effect"
import { TestClient, type TestAnswer } from "../support/TestClient.ts"

/** An answer as a client saw it; status 0 when the connection broke, or after 15 seconds of silence. */
export interface Seen {
  /** The method and the path, without ids. */
  readonly step: string
  readonly begin: number
  readonly end: number
  readonly status: number
  readonly text: string
}

/** A write that the service acknowledged, with what it takes to find it again. */
export type Write = { readonly at: number } & (
  | { readonly kind: "post"; readonly key: string; readonly id: string; readonly title: string }
  | { readonly kind: "publication"; readonly id: string; readonly title: string }
  | { readonly kind: "image"; readonly key: string; readonly status: string }
  | { readonly kind: "purchase"; readonly postId: string; readonly receipt: string }
  | { readonly kind: "session"; readonly refreshToken: string }
)

/** Everything that the clients of a load saw. */
export interface Record {
  readonly seen: Array<Seen>
  readonly writes: Array<Write>
}

const PATIENCE_MILLIS = 15_000

const LOST: TestAnswer = {
  status: 0,
  headers: new Headers(),
  bytes: new Uint8Array(),
  text: "",
  body: null
}

const stepOf = (method: string, path: string) =>
  `${method} ${path.replace(/\?.*$/, "").replaceAll(/\/[\w-]{20,}/g, "/*")}`

const ask = async (url: string, init: RequestInit): Promise<TestAnswer> => {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(PATIENCE_MILLIS) })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const isJson = /json/.test(answer.headers.get("content-type") ?? "")
    return {
      status: answer.status,
      headers: answer.headers,
      bytes,
      text,
      body: isJson ? JSON.parse(text) : null
    }
  } catch (cause) {
    const { message, cause: reason } = cause as Error
    return { ...LOST, text: `${message}: ${String(reason)}` }
  }
}

/** A client over sockets that records each answer. */
export const recordingClient = (origin: string, { seen }: Pick<Record, "seen">) =>
  TestClient.of({
    send: (method, path, { body, headers = {}, token } = {}) => {
      const isBytes = body instanceof Uint8Array
      // `fetch` counts the length itself.
      const { "content-length": _, ...sent } = headers
      const hasJson = body !== undefined && !isBytes
      return Effect.promise(async () => {
        const begin = Date.now()
        const answer = await ask(`${origin}${path}`, {
          method,
          headers: {
            ...(hasJson ? { "content-type": "application/json" } : {}),
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...sent
          },
          ...(body === undefined
            ? {}
            : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) })
        })
        const { status } = answer
        const text = status === 0 || status >= 400 ? answer.text.slice(0, 300) : ""
        seen.push({ step: stepOf(method, path), begin, end: Date.now(), status, text })
        return answer
      })
    }
  })

/** Returns the answers that no client should see: lost ones, and those of a service that cannot serve. */
export const failuresOf = ({ seen }: Record, from = 0, until = Number.POSITIVE_INFINITY) =>
  seen.filter(({ begin, status }) => (status === 0 || status >= 500) && begin >= from && begin <= until)

/** Returns the time of the first acknowledged write after this moment. */
export const writtenAfter = ({ writes }: Record, at: number) => writes.find((write) => write.at > at)?.at

/** Returns true for reads of one post. */
export const isPostRead = ({ step }: Seen) =>
  ["GET /api/posts/*", "GET /api/posts/*/public-content"].includes(step)
