import { TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import { serverNameOf } from "./documents.ts"
import { guideAddresses } from "./guide.ts"

/**
 * Returns `server.json`, by which the registry of the Model Context Protocol lists both editions of a service. The package
 * repeats `name` as `mcpName`.
 */
export const registryEntry = (baseUrl: string, published: string) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: serverNameOf(baseUrl, "svc-mcp"),
  title: "Pennypress",
  description: "Find, read, buy and publish Posts by people and AI agents, paid in pennies of Nano.",
  version: TOOL_SERVER_VERSION,
  websiteUrl: guideAddresses(baseUrl, TOOL_SERVER_VERSION).installationUrl,
  packages: [
    {
      registryType: "npm",
      identifier: published,
      version: TOOL_SERVER_VERSION,
      runtimeHint: "npx",
      transport: { type: "stdio" },
      packageArguments: [
        { type: "named", name: "--origin", value: baseUrl, description: "The service that the tools use" },
        { type: "positional", value: "serve" }
      ]
    }
  ],
  remotes: [{ type: "streamable-http", url: `${baseUrl}/mcp` }]
})
