import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner, Viewer } from "../../../schemas/platform/security/authorities.ts"
import { makePublicAnswer } from "../../platform/http/publicAnswer.ts"
import { FollowingFeeds } from "./FollowingFeeds.ts"
import { FollowLists } from "./FollowLists.ts"
import { Follows } from "./Follows.ts"
import { OwnFollows } from "./OwnFollows.ts"
import * as reads from "./publicReads.ts"

export const FollowsHttp = HttpApiBuilder.group(
  Api,
  "follows",
  Effect.fnUntraced(function* (handlers) {
    const follows = yield* Follows
    const own = yield* OwnFollows
    const feeds = yield* FollowingFeeds

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        return yield* own.follows(yield* CurrentOwner, query)
      }),
      posts: Effect.fnUntraced(function* ({ query }) {
        return yield* own.posts((yield* CurrentOwner).ownerId, query)
      }),
      feed: Effect.fnUntraced(function* () {
        return yield* feeds.read(yield* CurrentOwner)
      }),
      issueFeed: Effect.fnUntraced(function* () {
        return yield* feeds.issue(yield* CurrentOwner)
      }),
      revokeFeed: Effect.fnUntraced(function* () {
        return yield* feeds.revoke(yield* CurrentOwner)
      }),
      read: Effect.fnUntraced(function* ({ params }) {
        return yield* follows.read(yield* CurrentOwner, params.creatorId)
      }),
      save: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* follows.save(yield* CurrentOwner, params.creatorId, payload.following)
      }),
      readPreferences: Effect.fnUntraced(function* ({ params }) {
        return yield* follows.readPreferences(yield* CurrentOwner, params.followId)
      }),
      savePreferences: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* follows.savePreferences(yield* CurrentOwner, params.followId, payload)
      })
    })
  })
)

export const FollowListsHttp = HttpApiBuilder.group(
  Api,
  "followLists",
  Effect.fnUntraced(function* (handlers) {
    const lists = yield* FollowLists
    const answer = yield* makePublicAnswer

    return handlers.handleAll({
      followers: ({ params: { userId }, query, request }) =>
        answer(request, reads.followers(userId, query), lists.followers(userId, query)),
      following: ({ params: { userId }, query, request }) =>
        answer(request, reads.following(userId, query), lists.following(userId, query)),
      counts: Effect.fnUntraced(function* ({ params: { profileId }, request }) {
        const { ownerId } = yield* Viewer
        return yield* answer(request, reads.counts(profileId), lists.counts(profileId, ownerId))
      })
    })
  })
)
