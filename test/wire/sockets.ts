import { connect, type Socket } from "node:net"
import { Effect } from "effect"

/** A connection that a test writes to byte by byte. */
export interface Connection {
  readonly socket: Socket
  readonly write: (text: string | Uint8Array) => Effect.Effect<void>
  /** Everything that the server sent, once it has closed the connection. */
  readonly closed: Effect.Effect<string>
  /** Waits for this text, and returns everything that the server has sent by then. */
  readonly received: (text: string) => Effect.Effect<string>
}

/** Connects; the connection ends with the scope. */
export const connection = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Connection, Error>((resume) => {
      const socket = connect({ port, host: "127.0.0.1" })
      let text = ""
      const waiting = new Set<() => void>()
      const wake = () => waiting.forEach((it) => it())
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1")
        wake()
      })
      let isClosed = false
      socket.on("error", (error) => resume(Effect.fail(error)))
      socket.on("close", () => {
        isClosed = true
        wake()
      })
      const until = (condition: () => boolean) =>
        Effect.callback<string>((resume) => {
          const look = () => {
            if (condition()) resume(Effect.succeed(text))
          }
          waiting.add(look)
          look()
          return Effect.sync(() => waiting.delete(look))
        })
      socket.on("connect", () =>
        resume(
          Effect.succeed({
            socket,
            write: (it) => Effect.sync(() => void socket.write(it)),
            closed: until(() => isClosed),
            received: (it) => until(() => text.includes(it))
          })
        )
      )
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

/** Sends this, and waits for the server to answer and close. */
export const exchange = Effect.fnUntraced(function* (port: number, text: string | Uint8Array) {
  const { closed, write } = yield* connection(port)
  yield* write(text)
  return answerOf(yield* closed)
}, Effect.scoped)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Returns the first answer in a server's output. */
const answerOf = (text: string): Answer => {
  const end = text.indexOf("\r\n\r\n")
  const [status = "", ...lines] = text.slice(0, end).split("\r\n")
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()])
  )
  return { status: Number(status.split(" ")[1]), headers, text: text.slice(end + 4) }
}

const ask = async (url: string | URL, init?: RequestInit) => {
  const response = await fetch(url, init)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Sends one request through an ordinary HTTP client. */
export const get = (url: string | URL, init?: RequestInit) => Effect.promise(() => ask(url, init))
