import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import { Guests } from "../../../src/accounts/owners/Guests.ts"
import { PayoutAddresses } from "../../../src/accounts/payout-address/PayoutAddresses.ts"
import { completePost, signIn, walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertProblem } from "../sessions/flows.ts"

layer(service(database("test_guests")))("guests, made by other services (4.2.7, 5.8)", (it) => {
  const withKey = Effect.fnUntraced(function* (name?: string) {
    const guest = yield* (yield* Guests).createGuest(name === undefined ? {} : { name })
    const { key } = yield* (yield* ApiKeys).issue(guest, { label: "guest" })
    return { guest, key }
  })

  it.effect("A guest may hold a key, has a reserved name and a generated handle, and is not durable", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { guest, key } = yield* withKey()
      const { body: profile } = yield* client.send("GET", "/api/v1/profile", { token: key })
      assert.strictEqual(profile.id, guest.ownerId)
      assert.strictEqual(profile.name, "New User")
      assert.match(profile.handle, /^user_[0-9a-f]{12}$/)
      const { body: me } = yield* client.send("GET", "/api/v1/me", { token: key })
      assert.deepStrictEqual(me.identity, { durable: false, walletLinked: false, emailVerified: false })
    })
  )

  it.effect("A guest may change the display name, but not the handle", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { key } = yield* withKey()
      const patch = (body: unknown) => client.send("PATCH", "/api/v1/profile", { token: key, body })
      assert.strictEqual((yield* patch({ name: "A guest" })).body.name, "A guest")
      assertProblem(yield* patch({ handle: "guest_one" }), 403, "forbidden")
      assertProblem(yield* patch({ name: "Other", handle: "guest_one" }), 403, "forbidden")
      assert.strictEqual((yield* client.send("GET", "/api/v1/profile", { token: key })).body.name, "A guest")
    })
  )

  it.effect("A guest may start with a name that keeps the rules of names", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const guests = yield* Guests
      const { key } = yield* withKey("  Ada  ")
      assert.strictEqual((yield* client.send("GET", "/api/v1/profile", { token: key })).body.name, "Ada")
      for (const name of ["", " ", "n".repeat(51), "new user"])
        assert.isTrue(Schema.isSchemaError(yield* Effect.flip(guests.createGuest({ name }))), name)
    })
  )

  it.effect("A guest may start with a handle that is free in any case and not reserved", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const guests = yield* Guests
      const guest = yield* guests.createGuest({ handle: "Chosen_guest" })
      const { key } = yield* (yield* ApiKeys).issue(guest, {})
      const { body } = yield* client.send("GET", "/api/v1/profile", { token: key })
      assert.strictEqual(body.handle, "Chosen_guest")
      const taken = yield* Effect.flip(guests.createGuest({ handle: "chosen_GUEST" }))
      assert.isFalse(Schema.isSchemaError(taken))
      for (const handle of ["abc", "user_1234", "admin", "with space"])
        assert.isTrue(Schema.isSchemaError(yield* Effect.flip(guests.createGuest({ handle }))), handle)
    })
  )

  it.effect("A guest publishes with a name, a handle and the payout address that its service saves", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const guest = yield* (yield* Guests).createGuest({ name: "Ada", handle: "ada_publishes" })
      const { key } = yield* (yield* ApiKeys).issue(guest, {})
      const post = yield* client.send("POST", "/api/v1/posts", { token: key, body: completePost })
      const publish = (idempotencyKey: string) =>
        client.send("POST", `/api/v1/posts/${post.body.id}/publish`, {
          token: key,
          headers: { "idempotency-key": idempotencyKey }
        })
      const refused = yield* publish("first")
      assert.deepStrictEqual(
        refused.body.errors.map((it: { readonly field: string }) => it.field),
        ["payoutAddress"]
      )
      const payouts = yield* PayoutAddresses
      const payoutAddress = walletOf(1).account
      yield* payouts.save(guest, { payoutAddress })
      assert.strictEqual((yield* payouts.read(guest)).payoutAddress, payoutAddress)
      assert.strictEqual((yield* publish("second")).status, 200)
    })
  )

  it.effect("A guest has at most five active keys, like any owner", () =>
    Effect.gen(function* () {
      const apiKeys = yield* ApiKeys
      const { guest } = yield* withKey()
      for (let i = 0; i < 4; i++) yield* apiKeys.issue(guest, {})
      assert.strictEqual((yield* Effect.flip(apiKeys.issue(guest, {})))._tag, "KeyLimitReached")
      const first = (yield* apiKeys.list(guest))[0]!
      const rotated = yield* apiKeys.rotate(guest, first.keyId, {})
      yield* apiKeys.revoke(guest, rotated.apiKey.keyId)
      yield* apiKeys.issue(guest, {})
    })
  )

  it.effect("An authority exists for guests only", () =>
    Effect.gen(function* () {
      const guests = yield* Guests
      const { guest } = yield* withKey()
      assert.deepStrictEqual(yield* guests.guest(guest.ownerId), guest)
      const client = yield* TestClient
      const { accessToken } = yield* signIn(1)
      const { body } = yield* client.send("GET", "/api/v1/me", { token: accessToken })
      for (const id of [body.owner.id, "00000000-0000-4000-8000-000000000000"])
        assert.strictEqual((yield* Effect.flip(guests.guest(OwnerId.make(id))))._tag, "NotAGuest")
    })
  )
})
