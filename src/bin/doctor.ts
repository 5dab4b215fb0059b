import { Console, Effect } from "effect"
import { examine } from "../../layers/doctor/doctor.ts"
import type { Finding } from "../../layers/doctor/Finding.ts"

/** Columns of the state, so that the words stand below each other. */
const WIDTH = "warning".length

/** Returns the lines of a finding, for people. */
export const linesOf = ({ advice, name, said, state }: Finding) => [
  `${state.padEnd(WIDTH)}  ${name}: ${said}`,
  ...(advice === null ? [] : [`${" ".repeat(WIDTH)}  → ${advice}`])
]

/** Prints what is right and wrong with the configuration and the world. The program ends with 1 if there is a fault. */
export const doctor = Effect.fnUntraced(function* (isJson: boolean) {
  const findings = yield* examine
  const isSound = findings.every(({ state }) => state !== "fault")
  yield* Console.log(
    isJson ? JSON.stringify({ sound: isSound, findings }, null, 2) : findings.flatMap(linesOf).join("\n")
  )
  if (!isSound) yield* Effect.sync(() => (process.exitCode = 1))
})
