import { readFileSync, writeFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpTest from "effect/ai/McpTest"
import { registrations } from "../../../src/mcp/local/layer.ts"
import { TOOLSETS, type ToolsetName } from "../../../src/mcp/local/toolsets.ts"
import { edition, serviceBehindWire, stateDirectory } from "./localEdition.ts"

// `RECORD_CATALOGUE=1` writes the snapshot again.
const isRecording = process.env["RECORD_CATALOGUE"] === "1"

const SNAPSHOT = new URL("catalogue.json", import.meta.url)

/** Bytes of the list of tools, at most: every client sends it to its model. */
const LIST_BYTES_MAX = 48 * 1024

/** Tools by whether they read, destroy, are idempotent, and reach the open world. */
const HINTS: Readonly<Record<string, string>> = {
  svc_context: "1011",
  svc_operation: "0011",
  svc_categories: "1011",
  svc_search: "1011",
  svc_preview: "1011",
  svc_read_content: "1011",
  svc_list_drafts: "1011",
  svc_read_draft: "1011",
  svc_create_draft: "0001",
  svc_update_draft: "0111",
  svc_notifications: "1011",
  svc_notifications_mark_read: "0011",
  svc_comment: "1011",
  svc_comments: "1011",
  svc_reactions: "1011",
  svc_reply_to_comment: "0011",
  svc_publish: "0111",
  svc_buy_post: "0111",
  svc_purchase_status: "1011",
  svc_download_attachment: "0011",
  svc_extract_attachment: "0010",
  svc_attach_zip: "0011",
  svc_attachment_status: "1011",
  svc_sale_snapshot: "1011",
  svc_upload_image: "0011",
  svc_image_status: "1011",
  svc_image_associate: "0111",
  svc_image_cancel: "0111",
  svc_open_browser: "0001"
}

const listedBy = Effect.fnUntraced(
  function* (toolsets: ReadonlyArray<ToolsetName>, isReadOnly: boolean) {
    const client = yield* McpTest.makeClient(registrations({ toolsets: new Set(toolsets), isReadOnly }), {
      protocols: [McpProtocol.v2025_11_25]
    })
    const { tools } = yield* client.listTools()
    return JSON.parse(JSON.stringify(tools)) as ReadonlyArray<any>
  },
  (effect) => Effect.flatMap(stateDirectory, (directory) => Effect.provide(effect, edition(directory)))
)

const namesOf = (tools: ReadonlyArray<{ readonly name: string }>) => tools.map(({ name }) => name).toSorted()

layer(serviceBehindWire("test_mcp_local_catalogue"))("the catalogue of local tools", (it) => {
  it.effect("The catalogue is the one that is checked in, and has all hints", () =>
    Effect.gen(function* () {
      const tools = yield* listedBy(TOOLSETS, false)
      const bytes = Object.fromEntries(tools.map((tool) => [tool.name, JSON.stringify(tool).length]))
      const catalogue = { bytes: { all: JSON.stringify(tools).length, ...bytes }, tools }
      if (isRecording) writeFileSync(SNAPSHOT, JSON.stringify(catalogue))
      assert.deepStrictEqual<unknown>(catalogue, JSON.parse(readFileSync(SNAPSHOT, "utf8")))
      assert.isBelow(catalogue.bytes.all, LIST_BYTES_MAX)
      for (const { annotations, description, inputSchema, name, outputSchema } of tools) {
        const { destructiveHint, idempotentHint, openWorldHint, readOnlyHint } = annotations
        const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]
        assert.isTrue(
          hints.every((hint) => typeof hint === "boolean"),
          name
        )
        assert.strictEqual(hints.map(Number).join(""), HINTS[name], name)
        assert.deepInclude(inputSchema, { type: "object", additionalProperties: false }, name)
        assert.deepInclude(outputSchema, { type: "object" }, name)
        assert.notMatch(JSON.stringify([inputSchema, outputSchema]), /\$ref|\$defs/, name)
        // Tools that answer text of strangers say so.
        if (JSON.stringify(outputSchema).includes('"untrusted"'))
          assert.include(description, "`untrusted`", name)
        const asked = Object.keys(inputSchema.properties ?? {})
        assert.notMatch(
          asked.join(" "),
          /approved|attest|grant|origin|state_dir|creation_method|secret|token/
        )
      }
    })
  )

  it.effect("The catalogue follows the toolsets, and has only readers with --read-only", () =>
    Effect.gen(function* () {
      const read = yield* listedBy(["read"], false)
      assert.deepStrictEqual(namesOf(read), [
        "svc_categories",
        "svc_context",
        "svc_operation",
        "svc_preview",
        "svc_read_content",
        "svc_search"
      ])
      const readOnly = yield* listedBy(TOOLSETS, true)
      assert.isTrue(readOnly.every(({ annotations }) => annotations.readOnlyHint === true))
      const all = yield* listedBy(TOOLSETS, false)
      const reading = all.filter(({ annotations }) => annotations.readOnlyHint === true)
      assert.deepStrictEqual(namesOf(readOnly), namesOf(reading))
    })
  )
})
