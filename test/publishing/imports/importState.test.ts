import { assert, describe, it } from "@effect/vitest"
import type { ImportState } from "../../../schemas/publishing/imports/Import.ts"
import {
  type ImportEvent,
  isWorking,
  nextState,
  refusalOf
} from "../../../src/publishing/imports/rows/importState.ts"

const events: ReadonlyArray<ImportEvent> = [
  "stored",
  "read",
  "unreadable",
  "apply",
  "publish",
  "finished",
  "cancel",
  "undo",
  "remove"
]

/** The state after each event, in the order of `events`; a hyphen where the event is refused. */
const table: Readonly<Record<ImportState, string>> = {
  awaiting_file: "reading - - - - - cancelled - removing",
  reading: "- review failed - - - cancelled - -",
  review: "- - - applying applying - cancelled review removing",
  applying: "- - - - - done cancelled - -",
  done: "- - - applying applying - - done removing",
  failed: "- - - - - - - - removing",
  cancelled: "- - - - - - - cancelled removing"
}

describe("the states of an import", () => {
  for (const [state, row] of Object.entries(table))
    it(`An import that is ${state} goes on as the table says`, () => {
      const found = events.map((event) => nextState(state as ImportState, event) ?? "-").join(" ")
      assert.strictEqual(found, row)
    })

  it("An import that works can be cancelled and not removed", () => {
    for (const state of Object.keys(table) as ReadonlyArray<ImportState>)
      if (isWorking(state)) {
        assert.strictEqual(nextState(state, "cancel"), "cancelled")
        assert.isUndefined(nextState(state, "remove"))
      }
  })

  it("Each refusal is a sentence of its own", () => {
    const sentences = Object.keys(table).map((state) => refusalOf(state as ImportState))
    assert.lengthOf(new Set(sentences), sentences.length)
  })
})
