import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport
} from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"

const INFO = { name: "tests", version: "1.0.0" }

/** The part of the official clients that the tests use. */
export interface AnyClient {
  readonly listTools: () => Promise<{ readonly tools: ReadonlyArray<any> }>
  readonly callTool: (
    call: { name: string; arguments: Record<string, unknown> },
    ...options: any
  ) => Promise<any>
  readonly ping: () => Promise<unknown>
  readonly getInstructions: () => string | undefined
  readonly close: () => Promise<void>
}

/** One address for several processes: each request goes to the next one of these origins. */
export const inTurn = (origins: ReadonlyArray<string>): typeof fetch => {
  let requests = 0
  return (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    return fetch(`${origins[requests++ % origins.length]}${pathname}${search}`, init)
  }
}

type Connect = (url: URL, fetchLike: typeof fetch) => Promise<AnyClient>

const connectedOld: Connect = async (url, fetchLike) => {
  const client = new Client(INFO)
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchLike }) as never)
  return client as AnyClient
}

const connectedNew =
  (mode: "legacy" | "auto" | { pin: string }): Connect =>
  async (url, fetchLike) => {
    const client = new ModernClient(INFO, { versionNegotiation: { mode } })
    await client.connect(new ModernTransport(url, { fetch: fetchLike }))
    return client as unknown as AnyClient
  }

/** The official clients, in each of the modes that they have, over HTTP. */
export const clients: Readonly<Record<string, Connect>> = {
  "sdk 1.32": connectedOld,
  "client 2.4": connectedNew("legacy"),
  "client 2.4, which finds out the revision": connectedNew("auto"),
  "client 2.4 of 2026-07-28": connectedNew({ pin: "2026-07-28" })
}
