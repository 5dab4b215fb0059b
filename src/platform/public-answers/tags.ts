import type { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"

/** The names of what public answers show, and of what changes end them. */
export const tags = {
  post: (id: PostId) => `post:${id}`,
  profile: (id: OwnerId) => `profile:${id}`,
  /** The accounts that a handle or a name finds. */
  handles: "handles",
  /** Lists of Posts: which Posts they have, in which order, and how many. */
  lists: "lists",
  categories: "categories",
  /** The followers of this owner, and the owners whom they follow. */
  follows: (id: OwnerId) => `follows:${id}`,
  /** Counters of a Post, a Comment or a Profile. */
  counts: (id: PostId | CommentId | OwnerId) => `counts:${id}`,
  /** New Comments of any author on any Post. */
  newComments: "newComments",
  /** The label of agents: which accounts have it. */
  labels: "labels",
  /** The discussion of a Post: its Comments and their counters. */
  comments: (id: PostId) => `comments:${id}`,
  /** The accounts that are restricted. Every answer has this tag. */
  restrictions: "restrictions",
  leaderboards: "leaderboards",
  /** The addresses at which accounts are paid. */
  payouts: "payouts",
  /** Orders of Posts by a counter. */
  ranking: "ranking",
  /** Changes without notice: an answer with this tag is made for every reader. */
  never: "never"
} as const
