import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { CommentDraft } from "../../../schemas/engagement/comments/Comment.ts"
import type { OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { Comments } from "../../../src/engagement/comments/Comments.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { insertOwner, insertPost, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

const limited = { rateLimitFactor: 1 }

let keys = 0
const append = Effect.fnUntraced(function* (owner: OwnerId, post: PostId, key = `key-${keys++}`) {
  const draft: CommentDraft = { content: "x" }
  return yield* (yield* Comments).append(sessionOf(owner), post, draft, key)
})

const refused = (owner: OwnerId, post: PostId) =>
  Effect.flatMap(Effect.flip(append(owner, post)), (error) =>
    error._tag === "RateLimited" ? Effect.succeed(error.retryAfterSeconds) : Effect.die(error)
  )

const ownerWithPost = Effect.fnUntraced(function* (number: number) {
  const owner = yield* insertOwner(number, { name: "Ada", handle: `ada${number}` })
  return [owner, yield* insertPost(number, owner, "published")] as const
})

layer(service(database("test_comments_rates"), 1, limited))("the rates of Comments", (it) => {
  it.effect("An account comments ten times in any minute", () =>
    Effect.gen(function* () {
      const [owner, post] = yield* ownerWithPost(1)
      const [other] = yield* ownerWithPost(2)
      yield* append(owner, post, "first")
      yield* TestClock.adjust("59 seconds")
      for (let n = 0; n < 9; n++) yield* append(owner, post)
      assert.strictEqual(yield* refused(owner, post), 1)
      yield* append(other, post)
      const replay = yield* append(owner, post, "first")
      assert.isTrue(replay.replayed, "a replay is not refused, and not counted")
      yield* TestClock.adjust("1 second")
      yield* append(owner, post)
      assert.strictEqual(yield* refused(owner, post), 59)
      yield* TestClock.adjust("58999 millis")
      assert.strictEqual(yield* refused(owner, post), 1)
      yield* TestClock.adjust("1 millis")
      yield* append(owner, post)
    })
  )

  it.effect("An account comments 200 times in a day, deleted Comments included", () =>
    Effect.gen(function* () {
      const [owner, post] = yield* ownerWithPost(3)
      const comments = yield* Comments
      for (let n = 0; n < 200; n++) {
        const { id } = yield* append(owner, post)
        if (n % 2 === 0) yield* comments.remove(sessionOf(owner), id)
        yield* TestClock.adjust("6 seconds")
      }
      assert.strictEqual(yield* refused(owner, post), 24 * 60 * 60 - 200 * 6)
      yield* TestClock.adjust("86399 seconds")
      yield* append(owner, post)
    })
  )

  it.effect("A refusal says how many seconds to wait", () =>
    Effect.gen(function* () {
      const ada = yield* commenterOf(4)
      const { id } = yield* ada.published()
      for (let n = 0; n < 10; n++) yield* ada.say(id, "x")
      const answer = yield* ada.append(id, "x")
      assert.deepStrictEqual(
        [answer.status, answer.body.data],
        [429, { code: "rate_limited", retryAfter: 60 }]
      )
      assert.strictEqual(answer.headers.get("retry-after"), "60")
    })
  )
})

describe("the rates of Comments over two processes", () => {
  it.effect("Of forty concurrent requests, ten are saved", () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_comments_rates_race", limited)
      const [owner, post] = yield* Effect.provide(ownerWithPost(1), processes[0])
      const outcomes = yield* Effect.all(
        Array.from({ length: 40 }, (_, n) =>
          Effect.provide(
            Effect.match(append(owner, post), { onSuccess: () => "saved", onFailure: ({ _tag }) => _tag }),
            processes[n % 2]!
          )
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(outcomes.filter((it) => it === "saved").length, 10)
      assert.strictEqual(outcomes.filter((it) => it === "RateLimited").length, 30)
      const sql = Context.get(processes[0], SqlClient.SqlClient)
      assert.deepStrictEqual(yield* sql`select count(*) from comments`, [{ count: 10n }])
    })
  )
})
