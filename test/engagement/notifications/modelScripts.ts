import * as fc from "fast-check"
import { emailKeys } from "../../../schemas/engagement/notifications/Preferences.ts"

export const USERS = 4
export const POSTS = 2
const types = [
  "new_post",
  "new_follow",
  "account_issue",
  "new_comment",
  "comment_reply",
  "commented_post_activity"
] as const
const keys = [
  "in_app_notifications",
  "notify_new_comment",
  ...types.map((type) => `${emailKeys[type]}_inapp` as const)
] as const

const user = fc.nat(USERS - 1)
const post = fc.nat(POSTS - 1)
const of = fc.nat(3)
const flag = fc.boolean()
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("comment" as const), user, post }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("reply" as const), user, of }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("remove" as const), of }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("follow" as const), user, creator: user, isOn: flag })
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("publish" as const), user }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("issue" as const), user, of }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("mute" as const), user, post, isOn: flag }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("prefer" as const),
      user,
      key: fc.constantFrom(...keys),
      isOn: flag
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("markIds" as const),
      user,
      places: fc.array(fc.nat(9), { maxLength: 4 })
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("markContext" as const),
      user,
      by: fc.constantFrom("post", "follower", "types", "postAndTypes"),
      post,
      other: user,
      types: fc.uniqueArray(fc.constantFrom(...types), { minLength: 1, maxLength: 3 })
    })
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("markAll" as const), user }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("tell" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) })
  }
)
/** One deed of a script. `of` names a Comment by its place from the end. */
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Random scripts of four users, the same in each run. */
export const scripts = fc.sample(fc.array(step, { minLength: 60, maxLength: 90 }), { seed: 13, numRuns: 10 })
