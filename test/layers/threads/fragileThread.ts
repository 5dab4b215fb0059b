import { parentPort } from "node:worker_threads"
import type { ThreadAnswer, ThreadQuestion } from "../../../layers/threads/threadPool.ts"

/** What this thread is asked in tests; it answers `say`, if it gets there. */
export interface Fragile {
  readonly say: string
  /** Waits until its first number is 1; its second one becomes 1 when it begins to. */
  readonly gate?: Int32Array
  /** Ends the thread as often as its first number says, which counts down. */
  readonly ends?: { readonly left: Int32Array; readonly how: "throw" | "exit" }
}

const end = ({ how, left }: NonNullable<Fragile["ends"]>) => {
  if (Atomics.load(left, 0) === 0) return
  Atomics.sub(left, 0, 1)
  if (how === "exit") process.exit(3)
  throw new Error("this thread was told to fail")
}

parentPort?.on("message", ({ number, question }: ThreadQuestion<Fragile>) => {
  const { ends, gate, say } = question
  if (gate !== undefined) {
    Atomics.store(gate, 1, 1)
    Atomics.notify(gate, 1)
    Atomics.wait(gate, 0, 0)
  }
  if (ends !== undefined) end(ends)
  parentPort?.postMessage({ number, answer: say } satisfies ThreadAnswer<string>, [])
})
