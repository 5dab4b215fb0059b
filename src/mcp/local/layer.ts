import { Effect, Layer } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import { LOCAL_INSTRUCTIONS, TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import { CoreToolkit } from "../../../schemas/mcp/local/coreTools.ts"
import { ReadToolkit } from "../../../schemas/mcp/local/readTools.ts"
import { ServiceApi } from "./http/ServiceApi.ts"
import { Intents } from "./intents/Intents.ts"
import { Resumables } from "./intents/Resumables.ts"
import { Release } from "./release/Release.ts"
import { Sessions } from "./sessions/Sessions.ts"
import { Setups } from "./setup/Setups.ts"
import { makeCoreHandlers } from "./tools/core.ts"
import { makeReadHandlers } from "./tools/reading.ts"
import { listed, type Selection, type ToolsetName } from "./toolsets.ts"

/** The operations that `svc_operation` resumes, of all toolsets. */
const resumables = Layer.effect(
  Resumables,
  Effect.sync(() => new Map())
)

/** The services of the local edition, over a `StateStore`, an `HttpClient` and the `Origin`. */
export const services = Layer.mergeAll(Intents.layer, Setups.layer, Release.layer).pipe(
  Layer.provideMerge(Sessions.layer),
  Layer.provideMerge(ServiceApi.layer)
)

const core = (isReadOnly: boolean) =>
  McpServer.toolkit(listed(CoreToolkit, isReadOnly)).pipe(
    Layer.provide(CoreToolkit.toLayer(makeCoreHandlers))
  )

const read = (isReadOnly: boolean) =>
  McpServer.toolkit(listed(ReadToolkit, isReadOnly)).pipe(
    Layer.provide(ReadToolkit.toLayer(makeReadHandlers))
  )

/** The toolsets, each by the layer that lists its tools. */
const toolsets = { read } as const satisfies Partial<Record<ToolsetName, (isReadOnly: boolean) => unknown>>

/** The tools of a selection. */
export const registrations = ({ isReadOnly, toolsets: wanted }: Selection) =>
  Layer.mergeAll(
    core(isReadOnly),
    ...Object.entries(toolsets).flatMap(([name, toolset]) =>
      wanted.has(name as ToolsetName) ? [toolset(isReadOnly)] : []
    )
  ).pipe(Layer.provide(resumables))

/** Serves the tools of a selection over standard input and output, until the input ends (spec 4.8). */
export const server = (selection: Selection) =>
  McpServer.layerStdio({
    name: "pennypress-local",
    version: TOOL_SERVER_VERSION,
    instructions: LOCAL_INSTRUCTIONS,
    protocols: [
      McpProtocol.v2026_07_28,
      McpProtocol.v2025_11_25,
      McpProtocol.v2025_06_18,
      McpProtocol.v2025_03_26,
      McpProtocol.v2024_11_05
    ],
    registrations: registrations(selection)
  })
