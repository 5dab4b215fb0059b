import { Effect, Layer } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import { LOCAL_INSTRUCTIONS, TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import { CoreToolkit } from "../../../schemas/mcp/local/coreTools.ts"
import { DiscussionToolkit } from "../../../schemas/mcp/local/discussionTools.ts"
import { DraftToolkit } from "../../../schemas/mcp/local/draftTools.ts"
import { NotificationToolkit } from "../../../schemas/mcp/local/notificationTools.ts"
import { PublishToolkit } from "../../../schemas/mcp/local/publishTools.ts"
import { PurchaseToolkit } from "../../../schemas/mcp/local/purchaseTools.ts"
import { ReadToolkit } from "../../../schemas/mcp/local/readTools.ts"
import { BrowserToolkit, UploadToolkit } from "../../../schemas/mcp/local/uploadTools.ts"
import { ToolFailure } from "../../../schemas/mcp/ToolFailure.ts"
import { makeReadArguments } from "../tools/readArguments.ts"
import { refusingArguments } from "../tools/refusedArguments.ts"
import { makeMarkRead } from "./engagement/MarkRead.ts"
import { makeReplyToComment } from "./engagement/ReplyToComment.ts"
import { GrantActs } from "./GrantActs.ts"
import { Intents } from "./intents/Intents.ts"
import { resumable, Resumables } from "./intents/Resumables.ts"
import { makeCreateDraft } from "./posts/CreateDraft.ts"
import { makePublish } from "./posts/Publish.ts"
import { makeUpdateDraft } from "./posts/UpdateDraft.ts"
import { makeBuyPost } from "./purchases/buyPost.ts"
import { place, withWholeCommands } from "./service/commands.ts"
import { Release } from "./service/Release.ts"
import { ServiceApi } from "./service/ServiceApi.ts"
import { Sessions } from "./service/Sessions.ts"
import { Setups } from "./setup/Setups.ts"
import { makeCoreHandlers } from "./tools/core.ts"
import { makeDiscussionHandlers } from "./tools/discussion.ts"
import { makeDraftHandlers } from "./tools/drafts.ts"
import { makeNotificationHandlers } from "./tools/notifications.ts"
import { makePublishHandlers } from "./tools/publishing.ts"
import { makePurchaseHandlers } from "./tools/purchases.ts"
import { makeReadHandlers } from "./tools/reading.ts"
import { makeBrowserHandlers, makeUploadHandlers, makeUploadOperations } from "./tools/uploads.ts"
import { listed, type Selection, type ToolsetName } from "./toolsets.ts"

/** The operations that `svc_operation` resumes, of all toolsets. */
const resumables = Layer.effect(
  Resumables,
  Effect.gen(function* () {
    const { associate, cancel, image, zip } = yield* makeUploadOperations
    return new Map([
      resumable(yield* makeCreateDraft),
      resumable(yield* makeUpdateDraft),
      resumable(yield* makePublish),
      resumable(yield* makeReplyToComment),
      resumable(yield* makeMarkRead),
      resumable(yield* makeBuyPost),
      resumable(image),
      resumable(zip),
      resumable(associate),
      resumable(cancel)
    ])
  })
)

/** The services of the local edition, over a `StateStore`, an `HttpClient` and the `Origin`. */
export const services = Layer.mergeAll(GrantActs.layer, Intents.layer, Setups.layer, Release.layer).pipe(
  Layer.provideMerge(Sessions.layer),
  Layer.provideMerge(ServiceApi.layer)
)

/** Returns handlers whose failures name commands that a person can run as they are shown. */
const withCommands = <H extends object>(handlers: H) =>
  Effect.map(place, (here) => {
    const shown = Object.entries(handlers).map(
      ([name, handle]: [string, (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown>]) => [
        name,
        (...args: ReadonlyArray<unknown>) =>
          Effect.mapError(handle(...args), (failure) =>
            failure instanceof ToolFailure ? withWholeCommands(failure, here) : failure
          )
      ]
    )
    // The same handlers, which take and return the same.
    return Object.fromEntries(shown) as H
  })

/** Makes a layer that lists the tools of a toolkit, or those of them that read. */
const listing =
  <T extends Readonly<Record<string, Tool.Any>>, H extends Toolkit.HandlersFrom<T>, E, R>(
    toolkit: Toolkit.Toolkit<T>,
    handlers: Effect.Effect<H, E, R>
  ) =>
  (isReadOnly: boolean) =>
    McpServer.toolkit(listed(toolkit, isReadOnly)).pipe(
      Layer.provide(refusingArguments(toolkit.tools).layer),
      Layer.provide(toolkit.toLayer(Effect.flatMap(handlers, withCommands)))
    )

const core = listing(CoreToolkit, makeCoreHandlers)

const drafts = listing(DraftToolkit, makeDraftHandlers)
const uploads = listing(UploadToolkit, makeUploadHandlers)
const publish = listing(PublishToolkit, makePublishHandlers)
const browser = listing(BrowserToolkit, makeBrowserHandlers)

/** Reads the arguments of a call of any tool as clients write them. */
export const readArguments = makeReadArguments({
  ...CoreToolkit.tools,
  ...ReadToolkit.tools,
  ...NotificationToolkit.tools,
  ...DiscussionToolkit.tools,
  ...DraftToolkit.tools,
  ...UploadToolkit.tools,
  ...PublishToolkit.tools,
  ...BrowserToolkit.tools,
  ...PurchaseToolkit.tools
})

/** The toolsets, each by the layer that lists its tools. */
const toolsets = {
  read: listing(ReadToolkit, makeReadHandlers),
  notifications: listing(NotificationToolkit, makeNotificationHandlers),
  discussion: listing(DiscussionToolkit, makeDiscussionHandlers),
  drafts: (isReadOnly: boolean) => Layer.merge(drafts(isReadOnly), uploads(isReadOnly)),
  publishing: (isReadOnly: boolean) => Layer.merge(publish(isReadOnly), browser(isReadOnly)),
  purchases: listing(PurchaseToolkit, makePurchaseHandlers)
} as const satisfies Record<ToolsetName, (isReadOnly: boolean) => unknown>

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
