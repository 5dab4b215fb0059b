import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { TestAnswer } from "../../support/TestClient.ts"

/** Walks a discussion by its cursors, and returns the ids that it meets. */
export const walk = Effect.fnUntraced(function* <E, R>(
  read: (query: string) => Effect.Effect<TestAnswer, E, R>,
  query: string
) {
  const ids: Array<string> = []
  let cursor: string | null = ""
  while (cursor !== null) {
    const { body, text }: TestAnswer = yield* read(`${query}&cursor=${encodeURIComponent(cursor)}`)
    assert.isDefined(body.pagination, text)
    const { hasMore, limit, nextCursor } = body.pagination
    assert.strictEqual(hasMore, nextCursor !== null)
    if (hasMore) assert.strictEqual(body.comments.length, limit)
    else assert.isAtMost(body.comments.length, limit)
    ids.push(...body.comments.map(({ id }: { readonly id: string }) => id))
    cursor = nextCursor
  }
  return ids
})
