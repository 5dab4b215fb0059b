import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { publisher } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

layer(service(database("test_remove_agent_label"), 1, { adminToken: ADMIN_TOKEN }))(
  "accounts.removeAgentLabel (3.4b)",
  (it) => {
    it.effect("A removed agent label makes the author kind human once, with a recorded reason", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
        const client = yield* TestClient
        const sql = yield* SqlClient.SqlClient
        const { handle, key } = yield* publisher(1)
        yield* client.send("POST", "/api/v1/profile/declare-agent", { token: key })
        const administration = yield* administrator()
        const remove = (reason: string) =>
          administration["accounts.removeAgentLabel"]({ handle: handle.toUpperCase(), reason })
        const account = yield* remove("  Declared by mistake ")
        assert.deepInclude(account, { handle, authorKind: "human" })
        const { body } = yield* client.send("GET", "/api/v1/profile", { token: key })
        assert.strictEqual(body.authorKind, "human")
        assert.deepStrictEqual(yield* remove("Again"), account)
        const recorded = yield* sql`
          select action, subject_id, reason, wire_time(created_at) as at from administrator_actions`
        assert.deepStrictEqual(recorded, [
          {
            action: "accounts.removeAgentLabel",
            subject_id: account.ownerId,
            reason: "Declared by mistake",
            at: "2026-11-21T05:00:00.000000Z"
          }
        ])
      })
    )

    it.effect("A removal fails for an unknown handle, without a reason and with another token", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { handle } = yield* publisher(2)
        const remove = (
          administration: Effect.Success<ReturnType<typeof administrator>>,
          of: string,
          reason: string
        ) => Effect.flip(administration["accounts.removeAgentLabel"]({ handle: of, reason }))
        const before = yield* sql`select from administrator_actions`
        const administration = yield* administrator()
        assert.strictEqual((yield* remove(administration, "nobody_here", "why"))._tag, "AccountNotFound")
        yield* Effect.exit(remove(administration, handle, "  "))
        const other = yield* administrator("another token of at least 32 characters")
        assert.strictEqual((yield* remove(other, handle, "why"))._tag, "NotAdministrator")
        assert.lengthOf(yield* sql`select from administrator_actions`, before.length)
      })
    )
  }
)
