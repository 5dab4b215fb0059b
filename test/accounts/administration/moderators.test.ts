import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Moderators } from "../../../src/accounts/administration/Moderators.ts"
import { Sessions } from "../../../src/accounts/sessions/Sessions.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const because = { actor: "Olga", reason: "Answers reports" }

/** Returns the right of an account to moderate, as a browser of its owner has it at this moment. */
const rightOf = (accessToken: string) =>
  Effect.gen(function* () {
    const owner = yield* (yield* Sessions).authenticate(Redacted.make(accessToken))
    return yield* (yield* Moderators).authorityOf(
      BrowserAuthority.make({ ...Option.getOrThrow(owner), isModerator: true })
    )
  })

layer(service(database("test_moderators"), 1, { adminToken: ADMIN_TOKEN }))("Moderators of a site", (it) => {
  it.effect("A moderator is added and removed once, with an entry of the audit log each", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const admin = yield* administrator()
      const ada = yield* authorOf(1)
      const bea = yield* authorOf(2)
      const added = yield* admin["moderators.add"]({ handle: ada.handle.toUpperCase(), ...because })
      assert.deepInclude(added, { handle: ada.handle, isRestricted: false })
      assert.strictEqual(String(added.addedAt), "2026-11-21T05:00:00.000000Z")
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* admin["moderators.add"]({ handle: ada.handle, reason: "Again" }), added)
      const other = yield* admin["moderators.add"]({ handle: bea.handle, reason: "Nights" })
      assert.deepStrictEqual(yield* admin["moderators.list"](), [added, other])

      const { ownerId } = added
      const removed = { ownerId, handle: ada.handle }
      for (const reason of ["Left", "Left again"])
        assert.deepStrictEqual(yield* admin["moderators.remove"]({ handle: ada.handle, reason }), removed)
      assert.deepStrictEqual(yield* admin["moderators.list"](), [other])
      const { entries } = yield* admin["moderation.audit.list"]({ subjectId: ownerId })
      assert.deepStrictEqual(
        entries.map(({ action, actor, actorId, reason }) => [action, actor, actorId, reason]),
        [
          ["moderators.remove", "administrator", null, "Left"],
          ["moderators.add", "Olga", null, "Answers reports"]
        ]
      )
    })
  )

  it.effect("An unknown handle, a missing reason and another token make no moderator", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const admin = yield* administrator()
      const { handle } = yield* authorOf(3)
      const before = yield* sql`select from administrator_actions`
      for (const name of ["moderators.add", "moderators.remove"] as const) {
        const unknown = yield* Effect.flip(admin[name]({ handle: "no_such_account", reason: "Why" }))
        assert.strictEqual(unknown._tag, "AccountNotFound", name)
        yield* Effect.exit(admin[name]({ handle, reason: "  " }))
        const other = yield* administrator("another token of at least 32 characters")
        assert.strictEqual(
          (yield* Effect.flip(other[name]({ handle, reason: "Why" })))._tag,
          "NotAdministrator"
        )
      }
      assert.lengthOf(yield* sql`select from administrator_actions`, before.length)
    })
  )

  it.effect("A moderator has the right while added and not restricted, under the handle of the moment", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const admin = yield* administrator()
      const { accessToken, handle } = yield* authorOf(4)
      assert.isTrue(Option.isNone(yield* rightOf(accessToken)))
      const { ownerId } = yield* admin["moderators.add"]({ handle, ...because })
      assert.deepInclude(Option.getOrThrow(yield* rightOf(accessToken)), {
        kind: "moderator",
        ownerId,
        handle
      })
      yield* admin["accounts.restrict"]({ handle, ...because })
      assert.isTrue(Option.isNone(yield* rightOf(accessToken)))
      assert.isTrue((yield* admin["moderators.list"]()).find((it) => it.ownerId === ownerId)?.isRestricted)
      yield* admin["accounts.unrestrict"]({ handle, ...because })
      yield* sql`update owners set handle = 'ada_renamed' where id = ${ownerId}`
      assert.strictEqual(Option.getOrThrow(yield* rightOf(accessToken)).handle, "ada_renamed")
      yield* admin["moderators.remove"]({ handle: "ada_renamed", ...because })
      assert.isTrue(Option.isNone(yield* rightOf(accessToken)))
    })
  )

  it.effect("An account that is added by several administrators at the same time is one moderator", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const admin = yield* administrator()
      const { handle } = yield* authorOf(5)
      const added = yield* Effect.all(
        Array.from({ length: 8 }, () => admin["moderators.add"]({ handle, ...because })),
        { concurrency: "unbounded" }
      )
      const { ownerId } = added[0]!
      assert.lengthOf(yield* sql`select from moderators where owner_id = ${ownerId}`, 1)
      assert.lengthOf(yield* sql`select from administrator_actions where subject_id = ${ownerId}`, 1)
    })
  )
})
