import { Effect } from "effect"
import { type PublishArguments, PublishToolkit } from "../../../../schemas/mcp/local/publishTools.ts"
import { Intents } from "../intents/Intents.ts"
import { makePublish } from "../posts/Publish.ts"

/** The handlers of the toolset `publishing`. */
export const makePublishHandlers = Effect.gen(function* () {
  const intents = yield* Intents
  const publish = yield* makePublish
  return PublishToolkit.of({
    svc_publish: ({ intent_id: id, ...args }: PublishArguments) => intents.run(publish, args, id)
  })
})
