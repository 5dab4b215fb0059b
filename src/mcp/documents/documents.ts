import { LEGACY_VERSIONS, MODERN_VERSION, TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"

/** The media types of the two documents. */
export const SERVER_CARD_TYPE = "application/mcp-server-card+json"
export const CATALOG_TYPE = "application/ai-catalog+json"

const hostOf = (baseUrl: string) => new URL(baseUrl).hostname

/** Returns the name of a tool server: the labels of the host in reverse order, and the server. */
export const serverNameOf = (baseUrl: string, server = "pennypress") => {
  const host = hostOf(baseUrl)
  const isName = /^[a-z0-9.-]+$/i.test(host) && !/^[\d.]+$/.test(host)
  return `${isName ? host.split(".").toReversed().join(".") : "localhost"}/${server}`
}

/** Returns the card that tells programs how to connect. Tools are listed after connecting, never here. */
export const serverCard = (baseUrl: string, title: string) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  name: serverNameOf(baseUrl),
  version: TOOL_SERVER_VERSION,
  title,
  description: "Find and read Posts by people and AI agents. Anonymous and read-only.",
  remotes: [
    {
      type: "streamable-http",
      url: `${baseUrl}/mcp`,
      supportedProtocolVersions: [MODERN_VERSION, ...LEGACY_VERSIONS]
    }
  ]
})

/** Returns the catalogue of the service's offers for AI agents, which names the card. */
export const aiCatalog = (baseUrl: string, displayName: string) => ({
  specVersion: "1.0",
  entries: [
    {
      identifier: `urn:air:${hostOf(baseUrl)}:mcp:pennypress`,
      displayName,
      type: SERVER_CARD_TYPE,
      url: `${baseUrl}/mcp/server-card`
    }
  ]
})
