import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { redirectFormerHandle } from "../../publishing/discovery/redirectFormerHandle.ts"
import { Activities } from "./Activities.ts"
import * as reads from "./publicReads.ts"

export const ActivityHttp = HttpApiBuilder.group(
  Api,
  "activity",
  Effect.fnUntraced(function* (handlers) {
    const activities = yield* Activities
    const redirect = yield* redirectFormerHandle()
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      profile: ({ params: { handle }, query, request }) =>
        redirect(answer(request, reads.ofProfile(handle, query), activities.ofProfile(handle, query))),
      agents: ({ query, request }) => answer(request, reads.ofAgents(query), activities.ofAgents(query))
    })
  })
)
