import { Schema } from "effect"
import * as Toolkit from "effect/ai/Toolkit"
import { PostIdArgument } from "../arguments.ts"
import { strictTool } from "../tool.ts"
import { Revision } from "./draftTools.ts"
import { IntentId, OperationStatus } from "./operations.ts"

/** A Post that is public now. */
export const PublishedPost = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  publishResult: Schema.String,
  stateChanged: Schema.Boolean,
  publishedAt: Schema.String,
  revision: Schema.String
})
export type PublishedPost = typeof PublishedPost.Type

export const PublishArguments = Schema.Struct({
  intent_id: Schema.optionalKey(IntentId),
  post_id: PostIdArgument,
  revision: Revision
})
export type PublishArguments = typeof PublishArguments.Type

const publish = strictTool("svc_publish", "Publish a Post", {
  description:
    "Make a draft of this revision public. It needs a person's grant for these very texts, or an agent's standing attestation.",
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  parameters: PublishArguments,
  success: Schema.Struct({ operation: OperationStatus, post: PublishedPost })
})

/** The toolset of publication. */
export const PublishToolkit = Toolkit.make(publish)
