import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { as } from "../../platform/mail/outbox.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { twoAssemblies } from "../../support/twoServices.ts"

const ROUNDS = 10

describe("an account that is restricted while it comments, in two processes", () => {
  it.effect("A restriction and a Comment leave no public Comment, in either order", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoAssemblies("test_restriction_races", { adminToken: ADMIN_TOKEN })
      const sql = Context.get(first, SqlClient.SqlClient)
      const author = yield* as(first)(authorOf(1))
      const { id: post } = yield* as(first)(author.published())
      const moderator = yield* as(second)(administrator())
      let saved = 0
      for (let round = 0; round < ROUNDS; round++) {
        const number = 2 + round
        const { handle } = yield* as(first)(authorOf(number))
        const reader = yield* as(first)(readerOf(number))
        const say = (key: string) =>
          reader.send("POST", `/api/v1/posts/${post}/comments`, {
            body: { content: "Well said" },
            headers: { "idempotency-key": key }
          })
        const before = yield* say("before")
        const [, ...during] = yield* Effect.all(
          [
            moderator["accounts.restrict"]({ handle, reason: "A test" }),
            say("1"),
            say("2"),
            say("3"),
            say("4")
          ],
          { concurrency: "unbounded" }
        )
        const after = yield* say("after")
        assert.deepStrictEqual([before.status, after.status], [201, 403])
        const statuses = [before, ...during].map(({ status }) => status)
        assert.deepStrictEqual(
          [...new Set(statuses)].filter((status) => status !== 201 && status !== 403),
          []
        )
        saved += statuses.filter((status) => status === 201).length
        yield* TestClock.adjust("1 minute")
        yield* as(second)(followRestrictions)
      }
      assert.isAtLeast(saved, ROUNDS)
      const rows = yield* sql`select from comments`
      assert.strictEqual(rows.length, saved)
      assert.deepStrictEqual(
        yield* sql`select id from comments where hidden_at is null and deleted_at is null`,
        []
      )
    }).pipe(Effect.orDie)
  )
})
