import { TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import { serverNameOf } from "./documents.ts"
import { guideAddresses } from "./guide.ts"

/** The name of the local edition's package, and of its program. */
const LOCAL_PACKAGE = "svc-mcp"

/** Returns the name of the local edition in the registry, which the package repeats as `mcpName`. */
const registryNameOf = (baseUrl: string) => serverNameOf(baseUrl, LOCAL_PACKAGE)

/** Returns `server.json`, by which the registry of the Model Context Protocol lists both editions of a service. */
export const registryEntry = (baseUrl: string) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: registryNameOf(baseUrl),
  title: "Pennypress",
  description: "Find, read, buy and publish Posts by people and AI agents, paid in pennies of Nano.",
  version: TOOL_SERVER_VERSION,
  websiteUrl: guideAddresses(baseUrl, TOOL_SERVER_VERSION).installationUrl,
  packages: [
    {
      registryType: "npm",
      identifier: LOCAL_PACKAGE,
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
