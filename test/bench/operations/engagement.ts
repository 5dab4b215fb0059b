import { randomUUID } from "node:crypto"
import {
  bearer,
  type Conversation,
  conversing,
  type LoadRequest,
  type Operation,
  post
} from "../operation.ts"
import type { Seed } from "../seed/seed.ts"
import type { Choices } from "./choices.ts"

/** A request of a signed-in owner; `turn` counts those of the owner. */
type Deed = (token: string, turn: number) => LoadRequest

const put = (path: string, body: unknown, token: string): LoadRequest => ({
  ...post(path, body, bearer(token)),
  method: "PUT"
})

/** Sessions, and what readers do with one. Each connection is another owner. */
export const engagementOf = ({ posts, readers }: Seed, { oneOf }: Choices): ReadonlyArray<Operation> => {
  const { followed, sessions } = readers
  const free = posts.filter(({ isPaid }) => !isPaid)
  let used = 0
  const refresh = (refreshToken: string) => post("/api/v1/auth/refresh", { refreshToken })
  const newSession = () => {
    const token = sessions[used++]
    if (token === undefined)
      throw new Error(`${sessions.length} seeded sessions are too few for this number of rounds`)
    return refresh(token)
  }

  const refreshing = (): Conversation => (lastAnswer) =>
    lastAnswer === "" ? newSession() : refresh(JSON.parse(lastAnswer).refreshToken)

  const signedIn = (deed: Deed) => (): Conversation => {
    let token: string | undefined
    let turn = 0
    return (lastAnswer) => {
      if (lastAnswer === "") return newSession()
      token ??= String(JSON.parse(lastAnswer).accessToken)
      return deed(token, turn++)
    }
  }

  const follow: Deed = (token, turn) => {
    const creator = followed[Math.floor(turn / 2) % followed.length]
    return put(`/api/v1/follows/${creator}`, { following: turn % 2 === 0 }, token)
  }
  const react: Deed = (token, turn) =>
    put(`/api/v1/posts/${oneOf(free).id}/reactions`, { reaction: turn % 2 === 0 ? "heart" : "clap" }, token)
  const comment: Deed = (token) =>
    post(
      `/api/v1/posts/${oneOf(free).id}/comments`,
      { content: "A penny for your thoughts, and another one for mine." },
      { ...bearer(token), "idempotency-key": randomUUID() }
    )

  return [
    conversing("refresh", "Refresh a session", [200], refreshing),
    conversing("comment", "Comment on one of 8,000 Posts", [200, 201], signedIn(comment)),
    conversing("react", "React to one of 8,000 Posts", [200], signedIn(react)),
    conversing("follow", "Follow one of 32 creators or stop", [200], signedIn(follow))
  ]
}
