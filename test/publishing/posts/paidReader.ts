import { Effect } from "effect"
import type { Author } from "../../support/actors/author.ts"
import { TestClient } from "../../support/TestClient.ts"

/** Returns everything that anonymous readers see of a Post, as one text. */
export const publicTextOf = Effect.fnUntraced(function* (id: string, author: Author) {
  const client = yield* TestClient
  const paths = [`/api/posts/${id}`, `/api/posts/${id}/public-content`, `/api/profile/${author.handle}/posts`]
  const answers = yield* Effect.forEach(paths, (path) => client.send("GET", path))
  return answers.map((answer) => answer.text).join("\n")
})
