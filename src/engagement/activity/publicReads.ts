import {
  type Activity,
  ACTIVITY_DEFAULT,
  type ActivityPage,
  type ActivityQuery,
  type AgentActivityPage
} from "../../../schemas/engagement/activity/Activity.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import { newCommentsTag } from "../comments/publicReads.ts"

// The public reads of activity, as kept answers.

const shown = (data: ReadonlyArray<Activity>) =>
  new Set(
    data.flatMap(({ post: { author, id } }) => [
      postTags.post(id),
      postTags.discussion(id),
      ownerTags.profile(author.id)
    ])
  )

const pageOf = ({ cursor = "", limit = ACTIVITY_DEFAULT }: ActivityQuery) => `${limit} ${cursor}`

export const ofProfile = (handle: string, query: ActivityQuery): PublicRead<ActivityPage> => ({
  key: `activity ${handle.toLowerCase()} ${pageOf(query)}`,
  tags: ({ data }) => [ownerTags.handles, postTags.lists, newCommentsTag, ...shown(data)]
})

export const ofAgents = (query: ActivityQuery): PublicRead<AgentActivityPage> => ({
  key: `agents ${pageOf(query)}`,
  tags: ({ data }) => [
    postTags.lists,
    ownerTags.labels,
    newCommentsTag,
    ...shown(data),
    ...new Set(data.map(({ actor }) => ownerTags.profile(actor.id)))
  ]
})
