import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import {
  instructionsOf,
  LEGACY_VERSIONS,
  MODERN_VERSION,
  TOOL_SERVER_VERSION
} from "../../schemas/mcp/edition.ts"
import { resultOf, type SharedResults } from "./lists.ts"
import { accepted, errorAnswer, type Id, isObject, type JsonObject, resultAnswer, RPC } from "./messages.ts"

/** A request in the form of the revision without sessions: the message, and the headers that repeat parts of it. */
export interface ModernRequest {
  readonly message: JsonObject
  readonly headers: Readonly<Record<string, string>>
}

/** Asks the library, and returns the JSON-RPC message that it answers. */
type Ask = (request: ModernRequest) => Effect.Effect<JsonObject>

/** The library, and what it answers to everyone alike. */
interface Library {
  readonly siteName: string
  readonly ask: Ask
  readonly share: SharedResults
}

const META = "io.modelcontextprotocol/"

/** Names that fit into a header unchanged; every tool has such a name. */
const TOOL_NAME = /^[\w.-]{1,128}$/

const initialized = (params: unknown, siteName: string) => {
  const asked = isObject(params) ? params["protocolVersion"] : undefined
  return {
    protocolVersion: LEGACY_VERSIONS.find((version) => version === asked) ?? LEGACY_VERSIONS[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: "pennypress", title: siteName, version: TOOL_SERVER_VERSION },
    instructions: instructionsOf(siteName)
  }
}

/** Makes a request in the revision without sessions. */
export const modern = (
  id: Id,
  method: string,
  params: JsonObject,
  headers: Readonly<Record<string, string>> = {}
) => ({
  message: {
    jsonrpc: "2.0",
    id,
    method,
    params: {
      ...params,
      _meta: { [`${META}protocolVersion`]: MODERN_VERSION, [`${META}clientCapabilities`]: {} }
    }
  },
  headers: { "mcp-protocol-version": MODERN_VERSION, "mcp-method": method, ...headers }
})

/** Removes from a result the members that earlier revisions do not know. */
const withoutModern = (result: JsonObject): JsonObject => {
  const { _meta, cacheScope: _scope, resultType: _type, ttlMs: _ttl, ...rest } = result
  if (!isObject(_meta)) return rest
  const { [`${META}serverInfo`]: _info, ...meta } = _meta
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}

const answered = (id: Id, { error, result }: JsonObject) => {
  if (isObject(result)) return resultAnswer(id, withoutModern(result))
  const { code, data, message } = isObject(error) ? error : {}
  return errorAnswer(id, {
    code: typeof code === "number" ? code : RPC.internalError,
    message: typeof message === "string" ? message : "Internal error",
    ...(isObject(data) ? { data } : {})
  })
}

const called = (id: Id, params: unknown, ask: Ask) => {
  const { arguments: args, name } = isObject(params) ? params : {}
  if (typeof name !== "string" || (args !== undefined && !isObject(args))) {
    return Effect.succeed(
      errorAnswer(id, { code: RPC.invalidParams, message: "Send a tool's name, and arguments as an object" })
    )
  }
  if (!TOOL_NAME.test(name)) {
    return Effect.succeed(
      errorAnswer(id, { code: RPC.invalidParams, message: "There is no tool of this name" })
    )
  }
  const request = modern(id, "tools/call", { name, arguments: args ?? {} }, { "mcp-name": name })
  return Effect.map(ask(request), (answer) => answered(id, answer))
}

const requested = (id: Id, method: string, params: unknown, { ask, share, siteName }: Library) => {
  switch (method) {
    case "initialize":
      return Effect.succeed(resultAnswer(id, initialized(params, siteName)))
    case "ping":
      return Effect.succeed(resultAnswer(id, {}))
    case "tools/list":
      return share(
        "tools/list of earlier revisions",
        id,
        Effect.map(resultOf(ask(modern(0, method, {}))), withoutModern)
      )
    case "tools/call":
      return called(id, params, ask)
    default:
      return Effect.succeed(errorAnswer(id, { code: RPC.methodNotFound, message: "There is no such method" }))
  }
}

/**
 * Answers a client of a revision with a handshake. There are no sessions: nothing of `initialize` is kept, and any
 * process can answer any request. Requests about tools are passed to the library in the revision without sessions.
 */
export const answerLegacy = (
  message: JsonObject,
  version: string | undefined,
  library: Library
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const { id, method, params } = message
  if (method !== "initialize" && version !== undefined && !LEGACY_VERSIONS.includes(version)) {
    return Effect.succeed(
      errorAnswer(
        null,
        {
          code: RPC.invalidParams,
          message: "Unsupported protocol version",
          data: { supported: [MODERN_VERSION, ...LEGACY_VERSIONS] }
        },
        400
      )
    )
  }
  if (typeof method !== "string") {
    const isAnswer = method === undefined && ("result" in message || "error" in message)
    return Effect.succeed(
      isAnswer
        ? accepted
        : errorAnswer(null, { code: RPC.invalidRequest, message: "Send a request with a method" }, 400)
    )
  }
  if (!("id" in message)) return Effect.succeed(accepted)
  if (typeof id !== "string" && typeof id !== "number") {
    return Effect.succeed(
      errorAnswer(null, { code: RPC.invalidRequest, message: "Send an id that is text or a number" }, 400)
    )
  }
  return requested(id, method, params, library)
}
