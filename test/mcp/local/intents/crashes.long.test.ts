import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serviceBehindWire } from "../localEdition.ts"
import { crashedEverywhere, makeWriter } from "./crashing.ts"
import { writes } from "./writes.ts"

layer(serviceBehindWire("test_mcp_local_crashes"))("a process that loses its power", (it) => {
  for (const [number, tool] of Object.keys(writes).entries()) {
    it.effect(`A crash at any act of ${tool} leaves one effect to the next process`, () =>
      Effect.gen(function* () {
        const acts = yield* crashedEverywhere(yield* makeWriter(number), tool)
        assert.isAtLeast(acts, 5)
      })
    )
  }
})
