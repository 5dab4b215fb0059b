import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountDeletions } from "../../../src/engagement/account-deletion/AccountDeletions.ts"
import { registered } from "../../accounts/registrations/flows.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { mailsTo } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { wrongCounts } from "../../support/wrongCounts.ts"
import { claimDeletions, eraseDue } from "./leaving.ts"

const because = { actor: "Mo", reason: "Asked for by post" }

layer(service(database("test_deleted_by_staff"), 1, { adminToken: ADMIN_TOKEN }))(
  "an account that an administrator deletes",
  (it) => {
    const start = TestClock.setTime(Date.UTC(2026, 10, 21, 5))

    it.effect(
      "An administrator closes an account, and later erases it without delay, each with its record",
      () =>
        Effect.gen(function* () {
          yield* start
          const client = yield* TestClient
          const sql = yield* SqlClient.SqlClient
          const admin = yield* administrator()
          const { handle } = yield* authorOf(1)
          const { id } = yield* readerOf(1)
          const closed = yield* admin["accounts.delete"]({ handle, ...because })
          assert.deepStrictEqual(closed, { ownerId: id, handle, dueAt: closed.dueAt })
          assert.strictEqual(closed.dueAt, "2026-12-05T05:00:00.000000Z")
          assert.deepStrictEqual(yield* admin["accounts.delete"]({ handle, ...because }), closed)
          assert.strictEqual(yield* eraseDue, 0)
          yield* admin["accounts.delete"]({ handle, now: true, ...because })
          assert.isAbove(yield* eraseDue, 0)
          assert.strictEqual((yield* client.send("GET", `/@${handle}`)).status, 410)
          const actions =
            yield* sql`select action, actor, reason from administrator_actions where subject_id = ${id}`
          assert.deepStrictEqual(
            actions,
            [1, 2].map(() => ({ action: "accounts.delete", actor: "Mo", reason: because.reason }))
          )
          const gone = yield* Effect.flip(admin["accounts.delete"]({ handle, ...because }))
          assert.strictEqual(gone._tag, "AccountNotFound")
        })
    )

    it.effect("The last mail says when the deletion was asked for, also of one without delay", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const admin = yield* administrator()
        const ada = "ada@example.com"
        const { accessToken } = yield* registered(ada)
        const { body } = yield* client.send("GET", "/api/v1/me", { token: accessToken })
        yield* admin["accounts.delete"]({ handle: body.owner.handle, now: true, ...because })
        yield* eraseDue
        const last = (yield* mailsTo(ada)).at(-1)
        assert.include(last?.subject, "account is deleted")
        assert.include(
          last?.text,
          "You, or the people who run this site, asked for this on 21 November 2026."
        )
      })
    )

    it.effect("A deletion waits for an open report about the account", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const sql = yield* SqlClient.SqlClient
        const admin = yield* administrator()
        const author = yield* authorOf(2)
        const { id } = yield* author.published()
        const { id: owner } = yield* readerOf(2)
        yield* sql`
          insert into reports (id, target_kind, target_id, author_id, reason, fingerprint, created_at)
          values (${id}, 'post', ${id}, ${owner}, 'Copied', '', now())`
        yield* admin["accounts.delete"]({ handle: author.handle, now: true, ...because })
        assert.strictEqual(yield* eraseDue, 1)
        assert.strictEqual((yield* client.send("GET", `/@${author.handle}`)).status, 404)
        yield* sql`update reports set resolved_at = now(), outcome = 'dismissed'`
        yield* TestClock.adjust("1 hour")
        yield* eraseDue
        assert.strictEqual((yield* client.send("GET", `/@${author.handle}`)).status, 410)
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      })
    )

    it.effect("A process that dies at any step leaves work that another one goes on with", () =>
      Effect.gen(function* () {
        yield* start
        const client = yield* TestClient
        const sql = yield* SqlClient.SqlClient
        const admin = yield* administrator()
        const author = yield* authorOf(4)
        yield* author.published()
        yield* author.draft()
        yield* admin["accounts.delete"]({ handle: author.handle, now: true, ...because })
        // Each claim is lost once before its step is done.
        const { follow } = yield* AccountDeletions
        for (let steps = 0; ; steps++) {
          const [lost] = yield* claimDeletions
          if (lost === undefined) break
          assert.isBelow(steps, 100)
          yield* TestClock.adjust("2 minutes")
          const [again] = yield* claimDeletions
          assert.isDefined(again)
          // The first process wakes up after the second one began: it changes nothing.
          yield* follow(lost)
          yield* follow(again)
        }
        assert.strictEqual((yield* client.send("GET", `/@${author.handle}`)).status, 410)
        assert.deepStrictEqual(
          yield* sql`select from posts p join owners o on o.id = p.owner_id where o.deleted_at is not null and p.description <> ''`,
          []
        )
        assert.deepStrictEqual(yield* wrongCounts(sql), [])
      })
    )
  }
)
