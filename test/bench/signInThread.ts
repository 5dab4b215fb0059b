import { parentPort } from "node:worker_threads"
import { clientOf, openLoop } from "./openLoop.ts"
import { signInOf } from "./operations.ts"
import { walletsOf } from "./wallets.ts"

/** What the thread is told to do, and answers with the milliseconds of each sign-in. */
export interface SignInOrder {
  readonly url: string
  readonly perSecond: number
  readonly seconds: number
  readonly seed: number
}

// Signs in beside a load of the main thread, whose times it would be part of there.
const { conversation } = signInOf(walletsOf(200))

const signIns = async ({ url, ...loop }: SignInOrder) => {
  const { close, send } = clientOf(url)
  const run = async () => {
    const next = conversation?.begin()
    let answer = ""
    for (let step = 0; step < (conversation?.steps ?? 0); step++) answer = await send(next!(answer))
  }
  const times = await openLoop({ ...loop, run })
  close()
  return times
}

parentPort?.on("message", (order: SignInOrder) => {
  signIns(order).then(
    (times) => parentPort?.postMessage(times, []),
    (error: unknown) => {
      throw error
    }
  )
})
