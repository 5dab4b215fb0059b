import {
  REACTORS_DEFAULT,
  type ReactorQuery,
  type Reactors
} from "../../../schemas/engagement/reactions/Reactors.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { ownerTags } from "../../accounts/owners/ownerTags.ts"
import type { PublicRead } from "../../platform/public-answers/PublicAnswers.ts"
import { postTags } from "../../publishing/discovery/postTags.ts"
import type { ReactionTarget } from "./ReactionTarget.ts"

/** The answer to a query, and its Post. */
interface FoundReactors {
  readonly postId: PostId
  readonly reactors: Reactors
}

const canonical = ({ limit = REACTORS_DEFAULT, offset = 0, reaction }: ReactorQuery) =>
  reaction === undefined ? "" : `${reaction} ${limit} ${offset}`

/** A Comment has no answer under another Post. */
const nameOf = (target: ReactionTarget) =>
  target.kind === "post" ? `post ${target.id}` : `comment ${target.id} ${target.postId ?? ""}`

/**
 * The reactions to a target, as kept answers. A reaction changes a counter of its target, which drops the kept answers
 * that show the Post's counters or its discussion.
 */
export const ofTarget = (target: ReactionTarget, query: ReactorQuery): PublicRead<FoundReactors> => ({
  key: `reactions ${nameOf(target)} ${canonical(query)}`,
  limit: "reaction-read",
  tags: ({ postId, reactors: { reactors } }) => [
    postTags.post(postId),
    target.kind === "post" ? postTags.counts(postId) : postTags.discussion(postId),
    ...reactors.map(({ profile }) => ownerTags.profile(profile.id))
  ]
})
