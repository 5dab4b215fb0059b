import { Effect } from "effect"
import { TestClient } from "../support/TestClient.ts"

/** Headers of a request in the revision without sessions. */
export const modernHeaders = (method: string, name?: string): Record<string, string> => ({
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name })
})

export const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {}
}

/** Calls a tool in the form of a client with a handshake. Returns the result. */
export const call = Effect.fnUntraced(function* (
  name: string,
  args: object = {},
  request: { readonly from?: string; readonly headers?: Readonly<Record<string, string>> } = {}
) {
  const client = yield* TestClient
  const { body } = yield* client.send("POST", "/mcp", {
    ...request,
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }
  })
  return body.result
})

/** Returns the failure of a result, which no client checks against an output schema. */
export const failureOf = (result: any) => JSON.parse(result.content[0].text)

/** Calls each of the five tools about a Post. */
export const callAll = (postId: string) =>
  Effect.all([
    call("svc_context"),
    call("svc_categories"),
    call("svc_search"),
    call("svc_preview", { post_id: postId }),
    call("svc_read_content", { post_id: postId })
  ])
