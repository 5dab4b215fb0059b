import { assert, describe, it } from "@effect/vitest"
import { OwnerId, UploadOperationId, UploadTargetId } from "../../../schemas/platform/Ids.ts"
import { UploadState } from "../../../schemas/publishing/uploads/Upload.ts"
import type { UploadRow } from "../../../src/publishing/uploads/operation/ownUploads.sql.ts"
import { receiptOf } from "../../../src/publishing/uploads/uploadReceipts.ts"
import { ownMedia } from "../../support/ownMedia.ts"

const at = new Date(0)
const first = { references: new Set<string>(), replayed: false, urlOf: ownMedia.urlOf }
const id = "0197a1b2-0000-7000-8000-000000000001"

const row: UploadRow = {
  id: UploadOperationId.make(id),
  owner_id: OwnerId.make(id),
  target_kind: "avatar",
  target_id: UploadTargetId.make(id),
  target_key: "",
  generation: 1,
  current_generation: 1,
  in_place: true,
  state: "cleared",
  next_task: null,
  due_at: at,
  last_error: null,
  detail: null,
  desired: true,
  held: false,
  policy_version: "1",
  received: true,
  file_name: null,
  file_state: null,
  file_bytes: null,
  public_url: "https://press.test/media/1.png",
  revision: null
}

describe("the flag eligible (3.2.2)", () => {
  const booleans = [true, false]

  for (const state of UploadState.literals) {
    it(`An image in state ${state} is eligible only if it is cleared and all else holds`, () => {
      let eligible = 0
      for (const received of booleans)
        for (const desired of booleans)
          for (const held of booleans)
            for (const isCurrent of booleans) {
              const current_generation = isCurrent ? 1 : 2
              const { safety } = receiptOf(
                { ...row, state, received, desired, held, current_generation },
                at,
                first
              )
              const expected = received && desired && !held && isCurrent && state === "cleared"
              assert.strictEqual(safety.eligible, expected)
              if (safety.eligible) eligible++
            }
      assert.strictEqual(eligible, state === "cleared" ? 1 : 0)
    })
  }

  for (const [state, associated] of [
    ["queued", true],
    ["checking", true],
    ["cleared", true],
    ["rejected", false],
    ["failed", false],
    ["cancelled", false]
  ] as const) {
    it(`A saved reference to a desired ${state} image makes it associated: ${associated}`, () => {
      const inline: UploadRow = { ...row, target_kind: "inline", in_place: false, state }
      const references = new Set([row.public_url ?? ""])
      const associatedOf = (it: UploadRow, urls: ReadonlySet<string>) =>
        receiptOf(it, at, { references: urls, replayed: false, urlOf: ownMedia.urlOf }).safety.associated
      assert.strictEqual(associatedOf(inline, references), associated)
      assert.strictEqual(associatedOf({ ...row, state }, new Set()), associated)
      assert.isFalse(associatedOf({ ...inline, desired: false }, references))
      assert.isFalse(associatedOf(inline, new Set()))
    })
  }

  it("Receipts of rejected, failed, cancelled and held images have no URL (3.2.5)", () => {
    for (const state of UploadState.literals) {
      for (const held of booleans) {
        const isShown = !held && !["rejected", "failed", "cancelled"].includes(state)
        const { publicUrl } = receiptOf({ ...row, state, held }, at, first)
        assert.strictEqual(publicUrl, isShown ? row.public_url : null, `${state}, held ${held}`)
      }
    }
  })
})
