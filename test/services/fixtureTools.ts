import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import * as McpSchema from "effect/ai/McpSchema"
import * as McpServer from "effect/ai/McpServer"
import { HttpRouter } from "effect/http"
import { PublicBaseUrl } from "../../schemas/platform/errors/PublicBaseUrl.ts"
import { endpointOf } from "../../src/mcp/endpoint.ts"
import { libraryOf } from "../../src/mcp/tools/layer.ts"
import * as InProcessClient from "../../src/platform/http-client/InProcessClient.ts"
import { database } from "../support/Database.ts"
import { service } from "../support/TestClient.ts"

/** A red pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64"
)

/** A WAV file without samples. */
const WAV = Buffer.from("UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=", "base64")

const text = (words: string) => ({ type: "text", text: words }) as const
const image = { type: "image", data: PNG, mimeType: "image/png" } as const
const resource = (name: string, mimeType: string, words: string) =>
  ({ type: "resource", resource: { uri: `test://${name}`, mimeType, text: words } }) as const

/** The tools that the suite asks for, by their names. */
const RESULTS: Readonly<Record<string, object>> = {
  test_simple_text: { content: [text("This is a simple text response for testing.")] },
  test_image_content: { content: [image] },
  test_audio_content: { content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    content: [resource("embedded-resource", "text/plain", "This is an embedded resource content.")]
  },
  test_multiple_content_types: {
    content: [
      text("Multiple content types test:"),
      image,
      resource("mixed-content-resource", "application/json", '{"test":"data","value":123}')
    ]
  },
  test_error_handling: {
    isError: true,
    content: [text("This tool intentionally returns an error for testing")]
  }
}

const registrations = Layer.effectDiscard(
  Effect.gen(function* () {
    const { context, tools } = yield* Effect.all({
      context: Effect.context<never>(),
      tools: McpServer.McpServer
    })
    for (const [name, result] of Object.entries(RESULTS)) {
      yield* tools.addTool({
        tool: new McpSchema.Tool({
          name,
          description: "A tool of the suite",
          inputSchema: { type: "object" } as never
        }),
        annotations: context,
        handle: () => Effect.sync(() => new McpSchema.CallToolResult(result as never))
      })
    }
  })
)

/** Serves the front of the tool server over the tools that the suite asks for, on this port of the machine. */
export const fixtureServer = (port: number) =>
  HttpRouter.serve(
    Layer.effectDiscard(
      endpointOf(() =>
        Promise.resolve((_baseUrl: string, siteName: string) => libraryOf(registrations, siteName))
      )
    ).pipe(Layer.provide(InProcessClient.layer)),
    { disableLogger: true, disableListenLog: true }
  ).pipe(
    Layer.provide(Layer.succeed(PublicBaseUrl, `http://localhost:${port}`)),
    Layer.provide(NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" })),
    Layer.provide(
      service(database("test_conformance_fixtures"), 1, { mcpAllowedOrigins: [`http://127.0.0.1:${port}`] })
    )
  )
