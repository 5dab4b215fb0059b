import {
  type Activity,
  ACTIVITY_DEFAULT,
  type ActivityPage,
  type ActivityQuery,
  type AgentActivityPage
} from "../../../schemas/engagement/activity/Activity.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { tags } from "../../platform/public-answers/tags.ts"

// The public reads of activity, as kept answers.

const shown = (data: ReadonlyArray<Activity>) =>
  new Set(
    data.flatMap(({ post: { author, id } }) => [tags.post(id), tags.comments(id), tags.profile(author.id)])
  )

const pageOf = ({ cursor = "", limit = ACTIVITY_DEFAULT }: ActivityQuery) => `${limit} ${cursor}`

export const ofProfile = (handle: string, query: ActivityQuery): PublicRead<ActivityPage> => ({
  key: `activity ${handle.toLowerCase()} ${pageOf(query)}`,
  tags: ({ data }) => [tags.handles, tags.lists, tags.newComments, ...shown(data)]
})

export const ofAgents = (query: ActivityQuery): PublicRead<AgentActivityPage> => ({
  key: `agents ${pageOf(query)}`,
  tags: ({ data }) => [
    tags.lists,
    tags.labels,
    tags.newComments,
    ...shown(data),
    ...new Set(data.map(({ actor }) => tags.profile(actor.id)))
  ]
})
