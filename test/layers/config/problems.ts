import { assert } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { readEnvironment } from "../../../layers/config/environment.ts"

/** Variables of a process. */
type Environment = Readonly<Record<string, string>>

/** A secret that is long enough. */
export const SECRET = "s".repeat(32)

/** Reads an environment. */
export const read = (env: Environment) =>
  readEnvironment.pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

/** The problems of an environment, one line each. */
export const problemsOf = (env: Environment) =>
  Effect.map(Effect.flip(read(env)), ({ message }) => {
    const [title, ...problems] = message.split("\n")
    assert.strictEqual(title, "The configuration is not valid:")
    return problems.map((line) => line.trim())
  })

/** Asserts that each value of a variable is refused with this problem. */
export const assertRefused = Effect.fnUntraced(function* (
  name: string,
  values: ReadonlyArray<string>,
  expected: string
) {
  for (const value of values) {
    assert.deepStrictEqual(yield* problemsOf({ [name]: value }), [`${name}: ${expected}`], value)
  }
})
