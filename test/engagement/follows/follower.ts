import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { type Reader, readerOf } from "../../support/actors/reader.ts"

/** Sends the requests of a reader who follows creators. */
export const followsOf = ({ send, succeed }: Reader) => ({
  put: (creator: string, body: unknown) => send("PUT", `/api/v1/follows/${creator}`, { body }),
  read: (creator: string) => send("GET", `/api/v1/follows/${creator}`),
  putPreferences: (id: string, body: unknown) => send("PUT", `/api/v1/follows/preferences/${id}`, { body }),
  readPreferences: (id: string) => send("GET", `/api/v1/follows/preferences/${id}`),
  /** Follows a creator and returns the row. */
  follow: Effect.fnUntraced(function* (creatorId: OwnerId) {
    const { follow } = yield* succeed(({ follows }) =>
      follows.save({ params: { creatorId }, payload: { following: true } })
    )
    assert(follow !== null)
    return follow
  }),
  unfollow: Effect.fnUntraced(function* (creatorId: OwnerId) {
    const state = yield* succeed(({ follows }) =>
      follows.save({ params: { creatorId }, payload: { following: false } })
    )
    assert.deepStrictEqual(state, { following: false, follow: null })
  })
})

/** Signs in two owners: one who follows and one to follow. */
export const followerAndCreator = Effect.fnUntraced(function* (number: number) {
  const follower = yield* readerOf(number)
  const creator = yield* readerOf(number + 1)
  return { follower: { ...follower, ...followsOf(follower) }, creator }
})
