import { createConnection, type Socket } from "node:net"
import { DateTime, Effect, Option, type Duration } from "effect"
import {
  ScannerUnavailable,
  type ScannerDefinitions,
  type ScanVerdict
} from "../../src/platform/ports/Scanner.ts"
import type { ClamdAddress } from "./clamdUrl.ts"

/** Maximum bytes of a reply; clamd's own are below 300. */
const REPLY_BYTES_MAX = 4096

/** The outcome of a request. */
export interface Exchange {
  /** The bytes that came until the connection ended, as clamd sent them. */
  readonly reply: string
  /** True when the kernel had taken the whole request before the first byte came. */
  readonly isHeard: boolean
  /** The error that ended the connection, if it did not end in order. */
  readonly failure: Error | undefined
}

const unavailable = (reason: ScannerUnavailable["reason"], cause?: unknown) =>
  new ScannerUnavailable(cause === undefined ? { reason } : { reason, cause })

/** A connection that the scope closes, even while it connects. */
const connect = (address: ClamdAddress) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = createConnection(address)
      // Without this listener an error that no caller waits for would end the process.
      return socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => void socket.destroy())
  ).pipe(
    Effect.tap((socket) =>
      Effect.callback<void, ScannerUnavailable>((resume) => {
        const refuse = (cause: Error) => resume(Effect.fail(unavailable("unreachable", cause)))
        const accept = () => resume(Effect.void)
        if (socket.errored) return refuse(socket.errored)
        if (!socket.connecting) return accept()
        socket.once("error", refuse).once("connect", accept)
        return Effect.sync(() => void socket.off("error", refuse).off("connect", accept))
      })
    )
  )

/** Writes and reads at the same time, as a reply may come before the last byte is written. */
const talk = (socket: Socket, request: ReadonlyArray<Uint8Array>, then: "listen" | "end") =>
  Effect.callback<Exchange, ScannerUnavailable>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    let isWritten = false
    let isHeard = false
    const finish = (failure?: Error) =>
      resume(Effect.succeed({ reply: Buffer.concat(chunks).toString("latin1"), isHeard, failure }))
    if (socket.errored) return finish(socket.errored)
    socket.on("error", finish)
    socket.on("end", () => finish())
    socket.on("data", (chunk: Buffer) => {
      if (size === 0) isHeard = isWritten
      size += chunk.length
      chunks.push(chunk)
      if (size > REPLY_BYTES_MAX) resume(Effect.fail(unavailable("protocol", new Error("endless reply"))))
    })
    socket.cork()
    request.forEach((part, index) =>
      socket.write(part, (error) => {
        isWritten ||= index === request.length - 1 && (error === null || error === undefined)
      })
    )
    socket.uncork()
    if (then === "end") socket.end()
    return Effect.sync(() => void socket.destroy())
  })

/**
 * Sends one request over its own connection, and reads until clamd closes it. It uses `node:net` directly: the socket
 * of `@effect/platform-node` counts buffered bytes as written, and drops received bytes when a write fails.
 * Interruption closes the connection.
 */
export const exchange = Effect.fnUntraced(function* (
  address: ClamdAddress,
  request: ReadonlyArray<Uint8Array>,
  connectPatience: Duration.Input,
  then: "listen" | "end" = "listen"
) {
  const socket = yield* connect(address).pipe(
    Effect.timeoutOrElse({ duration: connectPatience, orElse: () => Effect.fail(unavailable("timeout")) })
  )
  return yield* talk(socket, request, then)
}, Effect.scoped)

const command = (name: string) => Buffer.from(`z${name}\0`)

/** Asks for the version and the definitions. */
export const versionRequest: ReadonlyArray<Uint8Array> = [command("VERSION")]

const lengthOf = (bytes: Uint8Array) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return length
}

/** Asks for a verdict: the length of the bytes, the bytes, and a length of 0. */
const scanRequest = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const end = lengthOf(new Uint8Array(0))
  return bytes.length === 0 ? [command("INSTREAM"), end] : [command("INSTREAM"), lengthOf(bytes), bytes, end]
}

const SIZE_LIMIT = "INSTREAM size limit exceeded. ERROR"

/**
 * Asks for a verdict. When the bytes are too many, clamd answers and hangs up during the write, and Node drops the
 * answer with the failed write. So after a broken connection it sends only their number, which breaks nothing.
 */
export const exchangeScan = Effect.fnUntraced(function* (
  address: ClamdAddress,
  bytes: Uint8Array,
  connectPatience: Duration.Input
) {
  const answer = yield* exchange(address, scanRequest(bytes), connectPatience)
  if (answer.reply !== "" || answer.failure === undefined || bytes.length === 0) return answer
  const announced = yield* exchange(address, [command("INSTREAM"), lengthOf(bytes)], connectPatience, "end")
  return announced.reply === `${SIZE_LIMIT}\0` ? announced : answer
})

/** Returns the one line of a reply, which a zero byte ends, or the reason why there is none. */
const lineOf = Effect.fnUntraced(function* ({ failure, reply }: Exchange) {
  const [, line] = /^([ -~]+)\0$/u.exec(reply) ?? []
  if (line !== undefined) return line
  if (/^COMMAND READ TIMED OUT\s*\0?$/u.test(reply)) return yield* unavailable("timeout")
  if (reply === "" && failure !== undefined) return yield* unavailable("unreachable", failure)
  return yield* unavailable("protocol", failure ?? new Error(reply === "" ? "no reply" : "not a reply"))
})

/** Findings that clamd reports for bytes that it could not inspect. */
const INCOMPLETE = /^Heuristics\.(Limits|Encrypted|Broken)\./u

/**
 * Returns the verdict of {@link exchangeScan}. A verdict is clean only for the exact words of clamd, on a connection
 * that ended in order, after clamd could have received every byte.
 */
export const verdictOf = Effect.fnUntraced(function* (exchange: Exchange) {
  const line = yield* lineOf(exchange)
  const [, finding] = /^stream: (.+) FOUND$/u.exec(line) ?? []
  if (finding !== undefined) {
    return { verdict: INCOMPLETE.test(finding) ? "incomplete" : "malware", finding } satisfies ScanVerdict
  }
  if (line === SIZE_LIMIT) return yield* unavailable("size_limit")
  if (line !== "stream: OK") return yield* unavailable("protocol", new Error("unexpected reply"))
  if (!exchange.isHeard || exchange.failure !== undefined) {
    return yield* unavailable("protocol", exchange.failure ?? new Error("a verdict before the end"))
  }
  return { verdict: "clean" } satisfies ScanVerdict
})

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const CTIME = /^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat) ([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d:\d\d:\d\d) (\d{4})$/u

/** Reads a date in the format of C's `ctime` as UTC. Null for any other text, such as February 30. */
const dateOf = (text: string): Date | null => {
  const [, month = "", day = "", time = "", year = ""] = CTIME.exec(text) ?? []
  const number = `${MONTHS.indexOf(month) + 1}`
  const iso = `${year}-${number.padStart(2, "0")}-${day.padStart(2, "0")}T${time}.000Z`
  return DateTime.make(iso).pipe(
    Option.filter((date) => DateTime.formatIso(date) === iso),
    Option.map(DateTime.toDateUtc),
    Option.getOrNull
  )
}

/**
 * Reads a reply to {@link versionRequest}, as in `ClamAV 1.4.6/27000/Fri Nov 20 09:00:00 2026`. Without dated
 * definitions the reply is only its first part. clamd writes its own time zone and does not name it, so it should run
 * in UTC.
 */
export const definitionsOf = Effect.fnUntraced(function* (exchange: Exchange) {
  const line = yield* lineOf(exchange)
  const [, engine, version, date] = /^(ClamAV [^/]{1,64})(?:\/(\d{1,10})\/(.*))?$/u.exec(line) ?? []
  if (engine === undefined) return yield* unavailable("protocol", new Error("unexpected reply"))
  return {
    engine,
    version: version ?? null,
    publishedAt: date === undefined ? null : dateOf(date)
  } satisfies ScannerDefinitions
})
