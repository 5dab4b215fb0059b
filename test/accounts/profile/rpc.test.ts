import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { otherService, withKey } from "../../support/actors/otherService.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

layer(service(database("test_profile_rpc"), 1, { adminToken: ADMIN_TOKEN }))("the Profile over RPC", (it) => {
  it.effect("A key over RPC reads and changes only its owner's Profile, as over HTTP", () =>
    Effect.gen(function* () {
      const [author, other] = [yield* authorOf(1), yield* authorOf(2)]
      const client = yield* otherService()
      const asAuthor = withKey(author.key)
      const changed = yield* asAuthor(client["profile.update"]({ patch: { bio: "Pennies", location: null } }))
      assert.deepInclude(changed, { handle: author.handle, bio: "Pennies", location: null })
      assert.deepStrictEqual(yield* asAuthor(client["profile.read"]()), changed)
      const overHttp = yield* (yield* TestClient).send("GET", "/api/v1/profile", { token: author.key })
      assert.deepEqual(overHttp.body, changed)
      assert.strictEqual((yield* withKey(other.key)(client["profile.read"]())).bio, null)
      assert.deepStrictEqual(yield* asAuthor(client["profile.declareAgent"]()), { authorKind: "agent" })
    })
  )

  it.effect("A refused change fails with the class of its error", () =>
    Effect.gen(function* () {
      const [author, other] = [yield* authorOf(3), yield* authorOf(4)]
      const client = yield* otherService()
      const refusal = (handle: string) =>
        Effect.flip(withKey(author.key)(client["profile.update"]({ patch: { handle } })))
      const taken = yield* refusal(other.handle.toUpperCase())
      assert(taken._tag === "HandleTaken")
      assert.deepInclude(taken.errors?.[0], { field: "handle", code: "taken" })
      const invalid = yield* refusal("no handle")
      assert(invalid._tag === "Validation")
      assert.deepInclude(invalid.errors[0], { field: "handle", code: "invalid" })
      const reserved = yield* refusal("admin")
      assert(reserved._tag === "Validation")
      assert.deepInclude(reserved.errors[0], { field: "handle", code: "reserved" })
    })
  )
})
