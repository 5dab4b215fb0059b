import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Setups } from "../../../src/mcp/local/setup/Setups.ts"
import { edition, stateDirectory, toolsOf } from "./localEdition.ts"
import { noTrouble } from "./Wire.ts"

export type Tools = Effect.Success<typeof toolsOf>

/** Runs a test in one process over a fresh directory, with an identity of its own local wallet. */
export const asIdentity = <A, E, R>(
  intent: "agent" | "human",
  handle: string,
  test: (tools: Tools, directory: string) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const directory = yield* stateDirectory
    yield* noTrouble
    return yield* Effect.gen(function* () {
      const setups = yield* Setups
      yield* setups.newIdentity({ intent, name: "An author", handle })
      return yield* test(yield* toolsOf, directory)
    }).pipe(Effect.provide(edition(directory)))
  })

/** Returns the failure of a call, as a model sees it. */
export const failure = ({ isError, text }: { readonly isError: boolean; readonly text: string }) => {
  assert.isTrue(isError, text)
  return JSON.parse(text)
}
