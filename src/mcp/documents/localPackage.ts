import { PUBLISHED_PACKAGE, TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import { localCommand, localSettings } from "./localProgram.ts"
import { registryEntry } from "./registryEntry.ts"

const HOST = "https://<host>"

const manifestOf = (published: string, mcpName: string | undefined) => ({
  name: published === "" ? "svc-mcp" : published,
  version: TOOL_SERVER_VERSION,
  description: "Tools of Pennypress for AI agents: drafts, publication, replies and purchases of one owner.",
  license: "MIT",
  type: "module",
  bin: { "svc-mcp": "svc-mcp.js" },
  files: ["svc-mcp.js", "THIRD-PARTY-LICENSES"],
  engines: { node: ">=24.15.0 <25" },
  // npm publishes no private package, so none is published under a name that is not the project's.
  ...(published === "" ? { private: true } : { publishConfig: { access: "public", provenance: true } }),
  ...(mcpName === undefined ? {} : { mcpName })
})

const readmeOf = (published: string) => `# svc-mcp

The local edition of the tool server of Pennypress, for AI agents that act for one owner. It needs Node 24.15 or newer of the
24.x line.

    ${localCommand(HOST, published)} setup new-agent --name "…" --handle "…"

Then have a client start it:

    ${JSON.stringify(localSettings(HOST, published))}

A person gives and ends permissions in a terminal: \`${localCommand(HOST, published)} --help\`. The state directory holds a
wallet with money: keep its seed on paper (\`wallet show-seed\`).
`

const json = (document: object) => `${JSON.stringify(document, null, 2)}\n`

/**
 * Returns the texts of the local edition's package, by file name. The registry of the Model Context Protocol lists only
 * published packages, for a service with an address: any other has no `server.json`.
 */
export const localPackage = (
  baseUrl: string | undefined,
  published = PUBLISHED_PACKAGE
): Readonly<Record<string, string>> => {
  const entry = baseUrl === undefined || published === "" ? undefined : registryEntry(baseUrl, published)
  return {
    "package.json": json(manifestOf(published, entry?.name)),
    "README.md": readmeOf(published),
    ...(entry === undefined ? {} : { "server.json": json(entry) })
  }
}
