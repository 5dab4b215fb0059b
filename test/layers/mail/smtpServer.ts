import { createServer, type Server, type Socket } from "node:net"
import { Effect, Queue } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { certificate, certificateKey } from "./certificate.ts"

/** A mail as the server received it. */
export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly message: string
  readonly isSecure: boolean
  readonly user: string | undefined
}

const listen = (server: Server, port = 0) =>
  Effect.callback<number>((resume) => {
    server.listen(port, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/**
 * Starts a real SMTP server on this port of this machine, or on a free one. It ends with the scope. Returns the mail
 * that it takes.
 */
export const smtpServer = Effect.fnUntraced(function* (options: SMTPServerOptions = {}, listenOn?: number) {
  const received = yield* Queue.unbounded<Received>()
  const server = new SMTPServer({
    authOptional: true,
    closeTimeout: 1,
    disableReverseLookup: true,
    key: certificateKey,
    cert: certificate,
    onData(stream, session, callback) {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const from = session.envelope.mailFrom
        Queue.offerUnsafe(received, {
          from: from === false ? "" : from.address,
          to: session.envelope.rcptTo.map((to) => to.address),
          message: Buffer.concat(chunks).toString(),
          isSecure: session.secure,
          user: session.user as string | undefined
        })
        callback()
      })
    },
    ...options
  })
  server.on("error", () => {})
  yield* Effect.addFinalizer(() => Effect.callback<void>((resume) => server.close(() => resume(Effect.void))))
  return { port: yield* listen(server.server, listenOn), received, server }
})

/** Starts a server on which `talk` decides every answer, for behaviour that real SMTP servers do not show. */
export const rawServer = Effect.fnUntraced(function* (talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
    talk(socket)
  })
  yield* Effect.addFinalizer(() =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      sockets.forEach((socket) => socket.destroy())
    })
  )
  return yield* listen(server)
})

/** Starts a server that answers each line by `answer`, and ignores a line when `answer` returns undefined. */
export const scriptedServer = (answer: (line: string, socket: Socket) => string | undefined) =>
  rawServer((socket) => {
    socket.write("220 test\r\n")
    let pending = ""
    socket.on("data", (data) => {
      const lines = (pending + data.toString()).split("\r\n")
      pending = lines.pop() ?? ""
      for (const line of lines) {
        const reply = answer(line, socket)
        if (reply !== undefined) socket.write(`${reply}\r\n`)
      }
    })
  })
