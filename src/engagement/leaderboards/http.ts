import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import {
  type Leaderboard,
  LEADERBOARD_LIMIT_DEFAULT,
  type LeaderboardQuery
} from "../../../schemas/engagement/leaderboards/Leaderboard.ts"
import { Viewer } from "../../../schemas/platform/security/authorities.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { Leaderboards, leaderboardsTag } from "./Leaderboards.ts"

const publicRead = ({
  board,
  limit = LEADERBOARD_LIMIT_DEFAULT,
  offset = 0,
  period = "all"
}: LeaderboardQuery): PublicRead<Leaderboard> => ({
  key: `leaderboard ${board} ${period} ${limit} ${offset}`,
  tags: ({ rows }) => [leaderboardsTag, ...rows.map(({ profile }) => ownerTags.profile(profile.id))]
})

export const LeaderboardsHttp = HttpApiBuilder.group(
  Api,
  "leaderboards",
  Effect.fnUntraced(function* (handlers) {
    const leaderboards = yield* Leaderboards
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      read: Effect.fnUntraced(function* ({ query, request }) {
        const { ownerId } = yield* Viewer
        return yield* answer(request, publicRead(query), leaderboards.read(query, ownerId))
      })
    })
  })
)
