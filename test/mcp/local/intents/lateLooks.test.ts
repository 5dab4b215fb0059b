import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { asIdentity } from "../asIdentity.ts"
import { serviceBehindWire } from "../localEdition.ts"
import { rowsOf } from "../stateFile.ts"
import { Wire } from "../Wire.ts"

const ID = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e"
const HIDDEN = "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2f"

layer(serviceBehindWire("test_mcp_local_late_looks"))(
  "a call that looks while another one has its intent",
  (it) => {
    it.effect("A late look answers the outcome of the other call, not the later state", () =>
      asIdentity("human", "author_late", ({ call }, directory) =>
        Effect.gen(function* () {
          const { result: made } = yield* call("svc_create_draft", {
            title: "One",
            free_content_markdown: "A text."
          })
          const change = {
            intent_id: ID,
            post_id: made.draft.id,
            revision: made.draft.revision,
            changes: { title: "Two" }
          }
          const { result: first } = yield* call("svc_update_draft", change)
          // The other process saves its intent after this one has looked for it, and before this one looks at the draft.
          const rename = (from: string, to: string) =>
            rowsOf(directory, "update intents set id = ? where id = ?", to, from)
          rename(ID, HIDDEN)
          const wire = yield* Wire
          wire.trouble = () => {
            rename(HIDDEN, ID)
            return undefined
          }
          const { result: second, text } = yield* call("svc_update_draft", change)
          assert.deepInclude(second?.operation, { operationId: ID, replayed: true }, text)
          assert.deepStrictEqual(second.draft, first.draft)
        })
      )
    )
  }
)
