import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Effect, FileSystem, Option } from "effect"
import { TOOL_SERVER_VERSION } from "../../schemas/mcp/edition.ts"
import { registryEntry } from "../mcp/documents/registryEntry.ts"
import { licencesOfBundle } from "./bundledPackages.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/** The package of the local edition: one file, and nothing to install beside it. */
const packageOf = (mcpName: string | undefined) => ({
  name: "svc-mcp",
  version: TOOL_SERVER_VERSION,
  description: "Tools of Pennypress for AI agents: drafts, publication, replies and purchases of one owner.",
  license: "MIT",
  type: "module",
  bin: { "svc-mcp": "svc-mcp.js" },
  files: ["svc-mcp.js", "THIRD-PARTY-LICENSES"],
  engines: { node: ">=24.15.0 <25" },
  publishConfig: { access: "public", provenance: true },
  ...(mcpName === undefined ? {} : { mcpName })
})

const readme = `# svc-mcp

The local edition of the tool server of Pennypress, for AI agents that act for one owner. It needs Node 24.15 or newer of the
24.x line.

    npx -y svc-mcp@${TOOL_SERVER_VERSION} --origin https://<host> setup new-agent --name "…" --handle "…"

Then have a client start it:

    {"mcpServers": {"pennypress-local": {"command": "npx", "args": ["-y", "svc-mcp@${TOOL_SERVER_VERSION}", "--origin", "https://<host>", "serve"]}}}

A person gives and ends permissions in a terminal: \`svc-mcp --origin https://<host> --help\`.
`

const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`

/**
 * Writes the package beside its bundle, in the directory that `SVC_MCP_OUT` names. `PUBLIC_BASE_URL` names the service
 * that the registry of the protocol lists with the package; without it there is no entry.
 */
Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const target = resolve(root, yield* Config.NonEmptyString("SVC_MCP_OUT"))
  const baseUrl = Option.getOrUndefined(yield* Config.option(Config.NonEmptyString("PUBLIC_BASE_URL")))
  const entry = baseUrl === undefined ? undefined : registryEntry(new URL(baseUrl).origin)
  yield* fs.writeFileString(`${target}/package.json`, json(packageOf(entry?.name)))
  yield* fs.writeFileString(`${target}/README.md`, readme)
  const map = `${target}/svc-mcp.js.map`
  yield* fs.writeFileString(`${target}/THIRD-PARTY-LICENSES`, yield* licencesOfBundle(map))
  // The program names no map, and needs none.
  yield* fs.remove(map)
  yield* fs.copyFile(`${root}LICENSE`, `${target}/LICENSE`)
  yield* fs.chmod(`${target}/svc-mcp.js`, 0o755)
  if (entry !== undefined) yield* fs.writeFileString(`${target}/server.json`, json(entry))
}).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
