import { Agent, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { LoadRequest } from "./operations.ts"
import { randomFrom } from "./words.ts"

/** Sends requests to a server over as many connections as are needed at once, and answers the bodies. */
export const clientOf = (url: string) => {
  const agent = new Agent({ keepAlive: true })
  const send = ({ body, headers, method, path }: LoadRequest) =>
    new Promise<string>((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
      const outgoing = request(new URL(path, url), {
        agent,
        method,
        headers: { ...headers, ...length }
      })
      outgoing.on("error", reject)
      outgoing.on("response", (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", reject)
        response.on("end", () => {
          const { statusCode = 0 } = response
          if (statusCode < 300) resolve(Buffer.concat(chunks).toString())
          else reject(new Error(`${method} ${path} was answered ${statusCode}`))
        })
      })
      outgoing.end(body)
    })
  return { send, close: () => agent.destroy() }
}

/**
 * Runs an operation so often a second, at random moments, as independent clients do: when one is due it begins, however
 * many are unanswered, so that a server which stops for a while is seen by everyone who would have met it. Answers the
 * milliseconds that each took.
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
  const timed = async () => {
    const start = performance.now()
    await options.run()
    milliseconds.push(performance.now() - start)
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
  return milliseconds
}
