import { assert, it } from "@effect/vitest"
import { remembered } from "../../../src/platform/work/remembered.ts"

it("A result is computed once for each text, undefined as well, and again after too many other texts", () => {
  const computed: Array<string> = []
  const find = remembered((text) => {
    computed.push(text)
    return text === "none" ? undefined : text.length
  }, 2)
  assert.deepStrictEqual(["a", "none", "a", "none"].map(find), [1, undefined, 1, undefined])
  assert.deepStrictEqual(computed, ["a", "none"])
  for (const text of ["a", "third", "a", "none"]) find(text)
  assert.deepStrictEqual(computed, ["a", "none", "third", "none"])
})
