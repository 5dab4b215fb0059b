import { randomUUID } from "node:crypto"
import { CONNECTIONS } from "../load.ts"
import { bearer, type LoadRequest, post } from "../loadRequest.ts"
import type { Conversation, Operation } from "../operation.ts"
import type { Pair } from "./pairs.ts"
import type { EngagementSeed } from "./seed.ts"

/** Writers of one target, as a share of writers of 32 targets. */
const ONE_OF_SPREAD_MIN = 0.7

/** A write of an owner on a target; `turn` counts the owner's writes there. */
type Deed = (token: string, target: string, turn: number) => LoadRequest

const put = (path: string, body: unknown, token: string): LoadRequest => ({
  ...post(path, body, bearer(token)),
  method: "PUT"
})

const follow: Deed = (token, creator, turn) =>
  put(`/api/v1/follows/${creator}`, { following: turn % 2 === 1 }, token)

// Each changes the one before.
const react: Deed = (token, postId, turn) =>
  put(`/api/v1/posts/${postId}/reactions`, { reaction: turn % 2 === 1 ? "heart" : "clap" }, token)

const comment: Deed = (token, postId) =>
  post(
    `/api/v1/posts/${postId}/comments`,
    { content: "A penny for your thoughts, and another one for mine." },
    { ...bearer(token), "idempotency-key": randomUUID() }
  )

/** Each connection writes as owners of its own on one target of its own, as far as there are enough. */
const written = (
  name: string,
  title: string,
  deed: Deed,
  tokens: ReadonlyArray<string>,
  targets: ReadonlyArray<string>,
  status: number
): Operation => {
  const turns = new Map<string, number>()
  let connections = 0
  const begin = (): Conversation => {
    const connection = connections++ % CONNECTIONS
    const target = targets[connection % targets.length] ?? ""
    const own = tokens.filter((_, index) => index % CONNECTIONS === connection)
    let next = 0
    return () => {
      const token = own[next++ % own.length] ?? ""
      const turn = (turns.get(token) ?? 0) + 1
      turns.set(token, turn)
      return deed(token, target, turn)
    }
  }
  return {
    name,
    title,
    isRead: false,
    status,
    request: () => deed(tokens[0] ?? "", targets[0] ?? "", 1),
    conversation: { steps: 1, begin },
    ownAlone: "the reference servers do not have it"
  }
}

/** Follows, reactions and Comments of many owners at once: on one target, and spread over 32. */
export const deedsOf = (
  { creator, followed, others, popular }: EngagementSeed,
  tokens: ReadonlyArray<string>
): ReadonlyArray<Pair> => {
  const pair = (
    name: string,
    title: string,
    deed: Deed,
    [one, spread]: readonly [string, ReadonlyArray<string>],
    status = 200
  ): Pair => ({
    name,
    operations: [
      written(name, `${title}, all the same`, deed, tokens, [one], status),
      written(`${name}-spread`, `${title}, 32 in turn`, deed, tokens, spread, status)
    ],
    least: ONE_OF_SPREAD_MIN
  })
  return [
    pair("follow", "Follow a creator or stop", follow, [creator, followed]),
    pair("react", "React to a Post", react, [popular, others]),
    // The popular Post would measure the worker that tells 100,000 commenters of each new Comment.
    pair("comment", "Comment on a Post", comment, [others[0] ?? "", others], 201)
  ]
}
