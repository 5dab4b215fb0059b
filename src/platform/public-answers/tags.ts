import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"

/** The names of what public answers show, and of what changes end them. */
export const tags = {
  post: (id: PostId) => `post:${id}`,
  profile: (id: OwnerId) => `profile:${id}`,
  /** Lists of Posts: which Posts they have, in which order, and how many. */
  lists: "lists",
  categories: "categories",
  /** Changes without notice: an answer with this tag is made for every reader. */
  never: "never"
} as const
