import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpTest from "effect/ai/McpTest"
import * as ArchiveZip from "../../../layers/archives/ArchiveZip.ts"
import * as LocalFilesNode from "../../../layers/local/LocalFilesNode.ts"
import * as StateStoreSqlite from "../../../layers/local/StateStoreSqlite.ts"
import * as BrowserMemory from "../../../layers/testing/BrowserMemory.ts"
import * as NanoProviderMemory from "../../../layers/testing/NanoProviderMemory.ts"
import { registrations, services } from "../../../src/mcp/local/layer.ts"
import { Origin } from "../../../src/mcp/local/service/Origin.ts"
import { FirstWaitMillis } from "../../../src/mcp/local/service/retries.ts"
import { TOOLSETS } from "../../../src/mcp/local/toolsets.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service } from "../../support/TestClient.ts"
import { overRoutes, Wire } from "./Wire.ts"

/** A directory of this account alone, below one that any account may enter. */
export const stateDirectory = Effect.acquireRelease(
  Effect.sync(() => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "svc-mcp-")))
    chmodSync(root, 0o700)
    return join(root, "state")
  }),
  (directory) => Effect.sync(() => rmSync(join(directory, ".."), { recursive: true, force: true }))
)

/** The service, and the way to it. */
export const serviceBehindWire = (name: string) =>
  overRoutes.pipe(Layer.provideMerge(service(database(name))), Layer.provideMerge(Wire.layer))

/** The services of one process of the local edition over a state directory. */
export const edition = (
  directory: string,
  origin = BASE_URL,
  store = StateStoreSqlite.layer({ directory, origin }),
  provider: typeof NanoProviderMemory.layer = NanoProviderMemory.layer
) =>
  Layer.fresh(services).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        store,
        Layer.succeed(Origin, origin),
        // Repeats within a call wait for nothing: tests have no clock of their own.
        Layer.succeed(FirstWaitMillis, 0),
        ArchiveZip.layer,
        BrowserMemory.layer,
        provider,
        LocalFilesNode.layer({
          roots: [join(directory, "files")],
          downloads: join(directory, "downloads")
        })
      )
    )
  )

/** Returns the tools of one process as a client calls them: results, and failures as their JSON. */
export const toolsOf = Effect.gen(function* () {
  const selection = { toolsets: new Set(TOOLSETS), isReadOnly: false }
  const client = yield* McpTest.makeClient(registrations(selection), {
    protocols: [McpProtocol.v2025_11_25]
  })
  return {
    client,
    call: Effect.fnUntraced(function* (name: string, args: object = {}) {
      const result = yield* client.callTool({ name, arguments: { ...args } })
      const [content] = result.content
      const text = content !== undefined && "text" in content ? String(content.text) : ""
      return { isError: result.isError === true, result: result.structuredContent as any, text }
    })
  }
})
