import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../schemas/Api.ts"
import { PublicBaseUrl } from "../../schemas/platform/errors/PublicBaseUrl.ts"
import { makePublicAnswer } from "../platform/http/publicAnswer.ts"
import { releaseOf } from "./tools/hostedContext.ts"

export const ToolServerHttp = HttpApiBuilder.group(
  Api,
  "toolServer",
  Effect.fnUntraced(function* (handlers) {
    const answer = yield* makePublicAnswer
    const release = Effect.succeed(releaseOf(yield* PublicBaseUrl))
    return handlers.handleAll({
      release: ({ request }) => answer(request, { key: "tool server release", tags: () => [] }, release)
    })
  })
)
