import { RELEASED_AT, TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import type { HostedContext } from "../../../schemas/mcp/results.ts"
import type { ToolServerRelease } from "../../../schemas/mcp/ToolServerRelease.ts"
import { guideAddresses } from "../documents/guide.ts"

/** The revision of the HTTP contract. */
export const API_VERSION = "1.0.0"

/** Returns the release of the tool servers that the service ships. */
export const releaseOf = (baseUrl: string): ToolServerRelease => ({
  version: TOOL_SERVER_VERSION,
  publishedAt: RELEASED_AT,
  ...guideAddresses(baseUrl, TOOL_SERVER_VERSION)
})

/** Returns what the hosted edition is: anonymous, and for reading alone. It is always the newest of its service. */
export const hostedContext = (baseUrl: string, name: string): typeof HostedContext.Type => {
  const { installationUrl, ...latestRelease } = releaseOf(baseUrl)
  return {
    edition: "hosted",
    service: { name, baseUrl, apiVersion: API_VERSION },
    identity: { status: "not-selected", authorKind: null, authorKindStatus: "unknown", setup: null },
    publication: { ready: false },
    capabilities: ["search", "preview", "read_free"],
    release: {
      installedVersion: TOOL_SERVER_VERSION,
      latestVersion: TOOL_SERVER_VERSION,
      updateAvailable: false,
      status: "current",
      installationUrl,
      latestRelease
    }
  }
}
