import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { serviceBehindWire } from "../localEdition.ts"
import { crashed, makeWriter } from "./crashing.ts"
import { writes } from "./writes.ts"

/** Tools that write files of this machine, show a page, or resume another tool. */
const LOCAL = ["svc_download_attachment", "svc_extract_attachment", "svc_open_browser", "svc_operation"]

/** Acts of an update: it takes its lease, looks, is authorized, is dispatched, is sent, and is complete. */
const SENT = 4

layer(serviceBehindWire("test_mcp_local_crash"))("a process that loses its power", (it) => {
  it("A crash is played for every tool that writes", () => {
    const { tools } = JSON.parse(readFileSync(new URL("../catalogue.json", import.meta.url), "utf8"))
    const writing = tools.filter(({ annotations }: any) => annotations.readOnlyHint === false)
    assert.sameMembers(
      writing.map(({ name }: any) => name),
      [...Object.keys(writes), ...LOCAL]
    )
  })

  it.effect("A crash around a request leaves one effect to the next process", () =>
    Effect.gen(function* () {
      const writer = yield* makeWriter(1)
      for (const moment of ["before", "after"] as const) {
        yield* crashed(writer, "svc_update_draft", SENT, moment)
      }
    })
  )
})
