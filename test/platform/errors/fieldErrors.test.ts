import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { afterEach, vi } from "vitest"
import { fieldErrorsOf } from "../../../schemas/platform/errors/fieldErrors.ts"
import { PostDraft } from "../../../schemas/publishing/posts/PostDraft.ts"

const decode = Schema.decodeUnknownResult(PostDraft, { errors: "all", onExcessProperty: "error" })

/** Returns the errors of a draft with unknown members, and the steps by which their names were compared. */
const errorsOf = (unknownMembers: number) => {
  const members = Array.from({ length: unknownMembers }, (_, n) => [`price_x${n}`.padEnd(30, "n"), 1])
  const result = decode(Object.fromEntries(members))
  if (Result.isSuccess(result)) throw new Error("The draft was accepted")
  const min = vi.spyOn(Math, "min")
  const found = fieldErrorsOf(result.failure.issue, "body")
  const steps = min.mock.calls.length
  min.mockRestore()
  return { ...found, steps }
}

describe("the errors of members", () => {
  afterEach(() => vi.restoreAllMocks())

  it("Only the members that an answer lists are compared with the known ones", () => {
    const [few, many] = [errorsOf(20), errorsOf(499)]
    assert.lengthOf(few.errors, 20)
    assert.deepStrictEqual(many.errors, few.errors)
    assert.strictEqual(many.unlisted - few.unlisted, 479)
    assert.isAbove(few.steps, 0)
    assert.strictEqual(many.steps, few.steps)
  })
})
