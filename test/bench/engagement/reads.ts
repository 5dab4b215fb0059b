import { get } from "../loadRequest.ts"
import type { Operation } from "../operation.ts"
import { answerOf, type Server } from "../servers.ts"
import type { Pair } from "./pairs.ts"
import type { EngagementSeed } from "./seed.ts"

const PAGE = 50
const DEEP_PAGE = 10_000
/** The largest page, by which the walk to the deep one is short. */
const PAGE_MAX = 100
/** The first page may have so many times the requests per second of the deep one. */
const FIRST_OF_DEEP_MAX = 1.3
/** Posts whose reactions are read. */
const HOT = 100

const own = { isRead: true, status: 200, ownAlone: "the reference servers do not have it" } as const

const inTurn = <A>(all: ReadonlyArray<A>) => {
  let turn = 0
  return () => all[turn++ % all.length]
}

/** Walks the discussion to the end of page 9,999 and returns the cursor of page 10,000. */
const deepCursor = async (server: Server, path: string) => {
  let cursor = ""
  for (let left = (DEEP_PAGE - 1) * PAGE; left > 0;) {
    const limit = Math.min(left, PAGE_MAX)
    const { body } = await answerOf(server, get(`${path}?limit=${limit}&cursor=${cursor}`))
    const { pagination } = JSON.parse(body)
    if (pagination?.nextCursor === null || pagination === undefined)
      throw new Error(`The discussion ends before page ${DEEP_PAGE}: ${body.slice(0, 200)}`)
    cursor = pagination.nextCursor
    left -= limit
  }
  return cursor
}

/** The first page of a discussion of 510,000 Comments, and its page 10,000. */
export const commentPages = async (server: Server, { popular }: EngagementSeed): Promise<Pair> => {
  const path = `/api/posts/${popular}/comments`
  const cursor = await deepCursor(server, path)
  const page = (name: string, title: string, query: string): Operation => ({
    ...own,
    name,
    title,
    request: () => get(`${path}?limit=${PAGE}${query}`)
  })
  return {
    name: "comment-page",
    operations: [
      page("comment-page", `First ${PAGE} of 510,000 Comments`, ""),
      page("comment-page-deep", `Page 10,000 of these Comments`, `&cursor=${cursor}`)
    ],
    most: FIRST_OF_DEEP_MAX
  }
}

/** Reads of owners who are signed in. */
export const ownReads = (
  posts: ReadonlyArray<string>,
  tokens: ReadonlyArray<string>
): ReadonlyArray<Operation> => {
  const token = inTurn(tokens)
  const post = inTurn(posts.slice(-HOT))
  return [
    {
      ...own,
      name: "reaction-summary",
      title: `Reactions to one of ${HOT} Posts, with one's own`,
      request: () => get(`/api/v1/posts/${post()}/reactions`, token())
    },
    {
      ...own,
      name: "notification-feed",
      title: "Newest 20 of an owner's 200 notifications",
      request: () => get("/api/v1/notifications", token())
    }
  ]
}
