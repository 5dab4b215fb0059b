import { createServer, type Socket } from "node:net"
import { Effect, Redacted } from "effect"
import { listening } from "../../support/listening.ts"

/** The answer to a statement, or to an attempt to connect. */
export type Answer =
  | "done"
  /** No answer, as behind a network that lost the bytes. */
  | "silence"
  /** An error with this SQLSTATE. A fatal one ends the connection. */
  | { readonly code: string; readonly isFatal: boolean }

const message = (type: string, body: Buffer) => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const text = (value: string) => Buffer.from(`${value}\0`)

const READY = message("Z", Buffer.from("I"))
const WELCOME = Buffer.concat([message("R", Buffer.alloc(4)), message("K", Buffer.alloc(8)), READY])
const doneWith = (statement: string) =>
  Buffer.concat([
    message("1", Buffer.alloc(0)),
    message("2", Buffer.alloc(0)),
    message("n", Buffer.alloc(0)),
    message("C", text(statement.toUpperCase()))
  ])
const refusal = (code: string, isFatal: boolean) =>
  message(
    "E",
    Buffer.concat([
      text(`S${isFatal ? "FATAL" : "ERROR"}`),
      text(`C${code}`),
      text("Mrefused"),
      Buffer.alloc(1)
    ])
  )

/** Sends an answer, and ends the connection after a fatal one. */
const send = (socket: Socket, answer: Answer, done: Buffer) => {
  if (answer === "silence") return
  if (answer === "done") return void socket.write(Buffer.concat([done, READY]))
  const refused = refusal(answer.code, answer.isFatal)
  if (answer.isFatal) return void socket.end(refused)
  socket.write(Buffer.concat([refused, READY]))
}

/** Answers on one connection: first the start, then each statement when its `Sync` arrives. */
const serve = (socket: Socket, answer: (statement: string) => Answer) => {
  let received = Buffer.alloc(0)
  let isStarted = false
  let statement = ""
  socket.on("error", () => {})
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    while (received.length >= 5) {
      const at = isStarted ? 1 : 0
      const length = received.readInt32BE(at) + at
      if (received.length < length) return
      const part = received.subarray(0, length)
      received = received.subarray(length)
      const type = isStarted ? String.fromCharCode(part[0] ?? 0) : "start"
      if (type === "start") {
        isStarted = true
        const first = answer("connect")
        if (first === "done") socket.write(WELCOME)
        else if (first !== "silence") socket.end(refusal(first.code, true))
      }
      // The statement follows its name, which is empty.
      if (type === "P") statement = part.subarray(6, part.indexOf(0, 6)).toString()
      if (type === "S") send(socket, answer(statement), doneWith(statement))
    }
  })
}

/**
 * A server that speaks enough of PostgreSQL's protocol to refuse: `answer` says how it answers a statement, or `connect`.
 * It ends with the scope.
 */
export const refusingServer = Effect.fnUntraced(function* (answer: (statement: string) => Answer) {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    serve(socket, answer)
  })
  const port = yield* listening(server)
  return { url: Redacted.make(`postgres://a@127.0.0.1:${port}/d`), connections: () => connections }
})
