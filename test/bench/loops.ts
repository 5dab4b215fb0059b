import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { LoadRequest } from "./loadRequest.ts"
import { randomFrom } from "./words.ts"

const HEAD_END = "\r\n\r\n"

const bytesOf = ({ body = "", headers, method, path }: LoadRequest, host: string) => {
  const all = { host, ...headers, ...(body === "" ? {} : { "content-length": Buffer.byteLength(body) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines].join("\r\n") + HEAD_END + body
}

/** Returns the body of a whole answer; none while a part is missing. */
const bodyOf = (received: Buffer, request: LoadRequest): Buffer | undefined => {
  const headLength = received.indexOf(HEAD_END)
  if (headLength < 0) return undefined
  const head = received.toString("latin1", 0, headLength)
  const bodyLength = /content-length: (\d+)/i.exec(head)?.[1]
  if (!/^HTTP\/1.1 2/.test(head) || bodyLength === undefined)
    throw new Error(`${request.method} ${request.path} was answered ${received.toString()}`)
  const start = headLength + HEAD_END.length
  const end = start + Number(bodyLength)
  return received.length < end ? undefined : received.subarray(start, end)
}

const exchange = (socket: Socket, request: LoadRequest, host: string) =>
  new Promise<Buffer>((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const finish = () => {
      socket.off("data", onData)
      socket.off("close", onClose)
    }
    const onClose = () => reject(new Error(`${request.method} ${request.path} was not answered`))
    const onData = (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      try {
        const body = bodyOf(received, request)
        if (body === undefined) return
        finish()
        resolve(body)
      } catch (error) {
        finish()
        reject(error)
      }
    }
    socket.on("data", onData)
    socket.on("close", onClose)
    socket.write(bytesOf(request, host))
  })

/**
 * Sends requests to a server over as many connections as are needed at once, and returns the bodies as bytes. Does only
 * the HTTP that this takes, and decodes nothing: the processor is left to the server and the database of the same machine.
 */
export const clientOf = (url: string) => {
  const { host, hostname, port } = new URL(url)
  const free: Array<Socket> = []
  const all: Array<Socket> = []
  const open = () => {
    const socket = connect(Number(port), hostname).setNoDelay()
    // The end of the connection reports its lost requests.
    socket.on("error", () => {})
    all.push(socket)
    return socket
  }
  const send = async (request: LoadRequest) => {
    let used = free.pop()
    while (used?.destroyed === true) used = free.pop()
    let socket = used ?? open()
    // A server may close a connection that was idle at the moment of the next request.
    const body = await exchange(socket, request, host).catch((error: unknown) => {
      if (used === undefined || !socket.destroyed) throw error
      socket = open()
      return exchange(socket, request, host)
    })
    free.push(socket)
    return body
  }
  return { send, close: () => all.forEach((socket) => socket.destroy()) }
}

/**
 * Runs an operation at a rate, at random moments, as independent clients do. Each begins when it is due, however many are
 * unanswered, so that a pause of the server counts for every client that meets it. Returns the milliseconds of each.
 */
export const openLoop = async (options: {
  readonly perSecond: number
  readonly seconds: number
  readonly seed: number
  readonly run: () => Promise<unknown>
}): Promise<ReadonlyArray<number>> => {
  const random = randomFrom(options.seed)
  const milliseconds: Array<number> = []
  const running: Array<Promise<void>> = []
  const failures: Array<unknown> = []
  const timed = () => {
    const start = performance.now()
    return options.run().then(
      () => void milliseconds.push(performance.now() - start),
      (failure: unknown) => void failures.push(failure)
    )
  }
  let due = performance.now()
  const end = due + options.seconds * 1000
  while (due < end) {
    const wait = due - performance.now()
    if (wait > 0) await sleep(wait)
    running.push(timed())
    due -= (Math.log(1 - random()) * 1000) / options.perSecond
  }
  await Promise.all(running)
  if (failures.length > 0) throw failures[0]
  return milliseconds
}

/** Runs an effect in several loops at once, and returns the milliseconds of each run. */
export const closedLoop = async (options: {
  readonly clients: number
  readonly seconds: number
  readonly run: () => Promise<unknown>
}): Promise<ReadonlyArray<number>> => {
  const milliseconds: Array<number> = []
  const end = performance.now() + options.seconds * 1000
  const client = async () => {
    for (let start = performance.now(); start < end; start = performance.now()) {
      await options.run()
      milliseconds.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: options.clients }, client))
  return milliseconds
}
