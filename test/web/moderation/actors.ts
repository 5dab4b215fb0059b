import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { administrator } from "../../support/actors/administrator.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { TestClient } from "../../support/TestClient.ts"
import { deskAuthor } from "../desk/author.ts"
import type { DeskAuthor } from "../desk/DeskForm.ts"

/** Makes an account of the desk a moderator. Returns the id of the account. */
export const named = Effect.fnUntraced(function* ({ number }: Pick<DeskAuthor, "number">) {
  const admin = yield* administrator()
  return yield* admin["moderators.add"]({ handle: `writer_${number}`, actor: "Olga", reason: "Night shift" })
})

/** Signs a moderator in, in a browser of their own. */
export const moderatorOf = Effect.fnUntraced(function* (number: number) {
  const author = yield* deskAuthor(number)
  const { handle, ownerId } = yield* named(author)
  return { ...author, handle, ownerId }
})

/** Reports a post, or a comment on it, as another account. Returns the id of the report. */
export const reported = Effect.fnUntraced(function* (
  number: number,
  target: { readonly post: string } | { readonly comment: string },
  reason = "It sells stolen goods"
) {
  const client = yield* TestClient
  const reader = yield* commenterOf(number)
  const path = "post" in target ? `posts/${target.post}` : `comments/${target.comment}`
  const { body, status, text } = yield* client.send("POST", `/api/v1/${path}/reports`, {
    token: reader.accessToken,
    headers: { "idempotency-key": `report-${number}` },
    body: { reason }
  })
  assert.strictEqual(status, 201, text)
  return body.reportId as string
})

/** Publishes a post of one account, on which another one comments. */
export const discussed = Effect.fnUntraced(function* (number: number, content = "Buy cheap watches") {
  const author = yield* commenterOf(number)
  const talker = yield* commenterOf(number + 1)
  const post = yield* author.published()
  const comment = yield* talker.say(post.id, content)
  return { author, comment: comment.id as string, post: post.id as string, slug: post.slug as string, talker }
})
