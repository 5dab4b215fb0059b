import { Effect, Layer } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import type * as Tool from "effect/ai/Tool"
import { HttpRouter } from "effect/http"
import { instructionsOf, TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import { HostedToolkit } from "../../../schemas/mcp/hostedTools.ts"
import { makeHostedHandlers } from "./hostedTools.ts"
import { makeReadArguments } from "./readArguments.ts"
import { refusingArguments } from "./refusedArguments.ts"
import { countCall } from "./toolCalls.ts"

/** Time that a client may keep what it learned about the server and its tools. */
const KEPT = { ttl: "5 minutes", cacheScope: "private" } as const

/** Refuses arguments that a tool does not take, and counts these calls; the handlers count all others. */
const refusing = refusingArguments(HostedToolkit.tools, (tool) => countCall(tool, "invalid-arguments"))

/**
 * Makes a tool server with these tools: an answer to a POST in the revision without sessions. It keeps nothing of a
 * request.
 */
export const libraryOf = Effect.fnUntraced(function* <E, R>(
  registrations: Layer.Layer<never, E, R | McpServer.McpServer>,
  siteName: string,
  tools: Readonly<Record<string, Tool.Any>> = {}
) {
  // The outer router has the path already.
  const router = yield* HttpRouter.make
  yield* Layer.build(
    McpServer.layerHttpRequestScoped({
      name: "pennypress",
      version: TOOL_SERVER_VERSION,
      instructions: instructionsOf(siteName),
      path: "/mcp",
      protocols: [McpProtocol.v2026_07_28],
      cacheHints: { discover: KEPT, tools: KEPT },
      registrations
    }).pipe(Layer.provide(Layer.succeed(HttpRouter.HttpRouter, router)))
  )
  return { answer: router.asHttpEffect(), readArguments: makeReadArguments(tools) }
})

/** Makes the tool server of the hosted edition. It needs an `HttpClient` of the service. */
export const makeLibrary = (baseUrl: string, siteName: string) =>
  libraryOf(
    McpServer.toolkit(HostedToolkit).pipe(
      Layer.provide(refusing.layer),
      Layer.provide(HostedToolkit.toLayer(makeHostedHandlers(baseUrl, siteName)))
    ),
    siteName,
    HostedToolkit.tools
  )
