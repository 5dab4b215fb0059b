import { parentPort } from "node:worker_threads"
import type { LoadRequest } from "./loadRequest.ts"
import { clientOf, closedLoop, openLoop } from "./loops.ts"
import { signInOf } from "./sessions.ts"
import { walletsOf } from "./wallets.ts"

/** The work of the thread. It answers with the milliseconds of each operation. */
export interface LoadOrder {
  readonly url: string
  readonly seconds: number
  /** A steady rate, or a number of clients that send one request after the other. */
  readonly pace: { readonly perSecond: number; readonly seed: number } | { readonly clients: number }
  /** Requests to send in turn. Without them the thread signs in. */
  readonly requests?: ReadonlyArray<LoadRequest>
}

type Send = (request: LoadRequest) => Promise<Buffer>

const inTurn = (requests: ReadonlyArray<LoadRequest>, send: Send) => {
  let turn = 0
  return () => send(requests[turn++ % requests.length]!)
}

const signIns = (send: Send) => {
  const { conversation } = signInOf(walletsOf(200))
  return async () => {
    const next = conversation!.begin()
    let answer = ""
    for (let step = 0; step < conversation!.steps; step++) answer = (await send(next(answer))).toString()
  }
}

const load = async ({ pace, requests, seconds, url }: LoadOrder) => {
  const { close, send } = clientOf(url)
  const run = requests === undefined ? signIns(send) : inTurn(requests, send)
  try {
    return "clients" in pace
      ? await closedLoop({ ...pace, seconds, run })
      : await openLoop({ ...pace, seconds, run })
  } finally {
    close()
  }
}

parentPort?.on("message", (order: LoadOrder) => {
  load(order).then(
    (times) => parentPort?.postMessage(times, []),
    (error: unknown) => {
      throw error
    }
  )
})
