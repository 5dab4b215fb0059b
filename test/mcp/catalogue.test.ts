import { readFileSync, writeFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../support/Database.ts"
import { service, TestClient } from "../support/TestClient.ts"

// `RECORD_CATALOGUE=1` writes the snapshot again.
const isRecording = process.env["RECORD_CATALOGUE"] === "1"

const SNAPSHOT = new URL("catalogue.json", import.meta.url)

/** Bytes of the list of tools, at most: every client sends it to its model. */
const LIST_BYTES_MAX = 10 * 1024

interface ListedTool {
  readonly name: string
  readonly inputSchema: object
  readonly outputSchema: object
  readonly annotations: object
}

layer(service(database("test_mcp_catalogue")))("the catalogue of tools", (it) => {
  it.effect("The catalogue is the one that is checked in, with its numbers of bytes", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { body } = yield* client.send("POST", "/mcp", {
        body: { jsonrpc: "2.0", id: 1, method: "tools/list" }
      })
      const tools: ReadonlyArray<ListedTool> = body.result.tools
      const bytes = Object.fromEntries(tools.map((tool) => [tool.name, JSON.stringify(tool).length]))
      const catalogue = { bytes: { all: JSON.stringify(tools).length, ...bytes }, tools }
      if (isRecording) writeFileSync(SNAPSHOT, JSON.stringify(catalogue))
      assert.deepStrictEqual<unknown>(catalogue, JSON.parse(readFileSync(SNAPSHOT, "utf8")))
      assert.isBelow(catalogue.bytes.all, LIST_BYTES_MAX)
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        ["svc_context", "svc_categories", "svc_search", "svc_preview", "svc_read_content"]
      )
      for (const { annotations, inputSchema, name, outputSchema } of tools) {
        assert.deepInclude(annotations, {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: true
        })
        assert.deepInclude(inputSchema, { type: "object", additionalProperties: false }, name)
        assert.deepInclude(outputSchema, { type: "object" }, name)
        assert.notMatch(JSON.stringify([inputSchema, outputSchema]), /\$ref|\$defs/, name)
      }
    })
  )
})
