import { tasksOf } from "../../../src/platform/ports/tasks.ts"

/** A gate of shared memory. The task writes 1 to the second number, then waits until the first number is 1. */
export const gate = () => new Int32Array(new SharedArrayBuffer(8))

const arrive = (at: Int32Array) => {
  Atomics.store(at, 1, 1)
  Atomics.notify(at, 1)
}

/** Tasks that fail in every way that a task can. */
export const fragileTasks = tasksOf("sections", {
  say: (word: string) => word,
  wait: (at: Int32Array) => {
    arrive(at)
    Atomics.wait(at, 0, 0)
    return "waited"
  },
  loop: (at: Int32Array) => {
    arrive(at)
    while (Atomics.load(at, 0) === 0) Math.sqrt(2)
    return "ended"
  },
  fill: () => {
    const texts: Array<string> = []
    while (true) texts.push("a".repeat(1000) + texts.length)
  },
  throw: () => {
    throw new Error("this task throws")
  },
  exit: () => process.exit(3)
})
