import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PostSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { Given } from "../../platform/public-answers/ReadCounter.ts"

/** Tags of public answers that show Posts. */
export const postTags = {
  post: (id: PostId) => `post:${id}`,
  /** The counters of a Post. */
  counts: (id: PostId) => `counts:${id}`,
  /** The discussion of a Post: its Comments with their counters and tips, and which of their authors bought the Post. */
  discussion: (id: PostId) => `discussion:${id}`,
  /** Lists of Posts: which Posts they have, in which order, and how many. */
  lists: "lists",
  categories: "categories",
  /** Orders of Posts by a counter. */
  ranking: "ranking"
} as const

/** Says that an answer has the public text of a Post, so that its reads are counted. */
export const givenPost = ({ id, priceRaw }: Pick<PostSummary, "id" | "priceRaw">): Given => ({
  posts: [id],
  hasWall: priceRaw !== null
})
