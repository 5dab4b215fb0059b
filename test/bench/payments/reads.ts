import { Effect } from "effect"
import type { Pair } from "../engagement/pairs.ts"
import { get, type LoadRequest } from "../loadRequest.ts"
import type { Operation } from "../operation.ts"
import type { Server } from "../servers.ts"
import { accessOf, bought, paying } from "./buyers.ts"

/** Requests per second of a 402, and of a bought Post, as shares of those of a public Post. */
const TERMS_OF_POST_MIN = 0.8
const ENTITLED_OF_POST_MIN = 0.7

const own = { isRead: true, status: 200, ownAlone: "the reference servers do not have it" } as const

const inTurn = (requests: ReadonlyArray<LoadRequest>) => {
  let turn = 0
  return () => requests[turn++ % requests.length]!
}

interface Reads {
  /** 402s and public Posts. */
  readonly terms: Pair
  /** Posts that the account has bought, and public Posts. */
  readonly entitled: Pair
  /** Repeated payments, and public Posts. */
  readonly replayed: Pair
}

/** Buys each of these Posts by an account and by a wallet alone. Returns the reads to compare. */
export const readsOf = Effect.fnUntraced(function* (
  server: Server,
  posts: ReadonlyArray<string>,
  tokens: ReadonlyArray<string>
) {
  const owned = posts.map((postId, n) => accessOf(postId, tokens[n % tokens.length]))
  const replays: Array<LoadRequest> = []
  yield* Effect.promise(async () => {
    for (const request of owned) await bought(server, request)
    for (const request of posts.map((postId) => accessOf(postId))) {
      const payment = await bought(server, request)
      if (payment !== undefined) replays.push(paying(request, payment))
    }
  })
  const post = (name: string): Operation => ({
    ...own,
    name: `${name}-post`,
    title: `One of the same ${posts.length} Posts as anybody sees it`,
    request: inTurn(posts.map((postId) => get(`/api/posts/${postId}`)))
  })
  const pair = (name: string, title: string, requests: ReadonlyArray<LoadRequest>, least?: number): Pair => ({
    name,
    operations: [{ ...own, name, title, request: inTurn(requests) }, post(name)],
    ...(least === undefined ? {} : { least })
  })
  const terms = pair(
    "terms",
    `402 of one of ${posts.length} Posts`,
    posts.map((postId) => accessOf(postId)),
    TERMS_OF_POST_MIN
  )
  const [asking, compared] = terms.operations
  return {
    terms: { ...terms, operations: [{ ...asking, isAskingTerms: true }, compared] },
    entitled: pair("entitled", "One of these Posts, bought by the account", owned, ENTITLED_OF_POST_MIN),
    replayed: pair("replay", "A settled payment of one of them again", replays)
  } satisfies Reads
})
