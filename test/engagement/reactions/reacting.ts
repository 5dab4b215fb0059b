import { Effect } from "effect"
import { signIn } from "../../support/actors/owner.ts"
import { TestClient, type TestRequest } from "../../support/TestClient.ts"

/** Signs in the `number`th reader of a test file. Returns their requests about one kind of target. */
export const reactorOf = Effect.fnUntraced(function* (number: number, kind: "posts" | "comments" = "posts") {
  const client = yield* TestClient
  const { accessToken: token } = yield* signIn(number)
  const path = (id: string) => `/api/v1/${kind}/${id}/reactions`
  return {
    token,
    put: (id: string, body: unknown) => client.send("PUT", path(id), { token, body }),
    react: (id: string, reaction: string | null) =>
      client.send("PUT", path(id), { token, body: { reaction } }),
    read: (id: string, query = "") => client.send("GET", `${path(id)}${query}`, { token })
  }
})

/** Reads the reactions to a Post as a stranger, or with a credential. */
export const readReactions = (id: string, query = "", request: TestRequest = {}) =>
  Effect.flatMap(TestClient, (client) => client.send("GET", `/api/posts/${id}/reactions${query}`, request))

const none = { thumbs_up: 0, heart: 0, fire: 0, clap: 0 }

/** The summary with these counts, as a viewer with this reaction sees it. */
export const summary = (counts: Partial<typeof none>, viewerReaction: string | null = null) => ({
  counts: { ...none, ...counts },
  total: Object.values(counts).reduce((total, count) => total + count, 0),
  viewerReaction
})
