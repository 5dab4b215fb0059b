import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertProblem } from "../sessions/flows.ts"
import { keyAccess, keysOf } from "./keys.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const DAY = 24 * 60 * 60 * 1000

layer(service(database("test_api_keys")))("Publishing keys (2.2, 4.1, 5)", (it) => {
  const start = TestClock.setTime(Date.UTC(2026, 10, 21, 5))
  const owner = (number: number) => Effect.flatMap(signIn(number), ({ accessToken }) => keysOf(accessToken))

  it.effect("An issued key shows its secret once, and lives 90 days unless the request says otherwise", () =>
    Effect.gen(function* () {
      yield* start
      const keys = yield* owner(1)
      const { apiKey, key, ...rest } = yield* keys.issued()
      assert.deepStrictEqual(rest, {})
      const { id, keyId, ...metadata } = apiKey
      assert.match(id, UUID)
      assert.match(keyId, /^[0-9A-Za-z]{16}$/)
      assert.deepStrictEqual(metadata, {
        scope: "posts:publish",
        label: null,
        createdAt: "2026-11-21T05:00:00.000000Z",
        expiresAt: "2027-02-19T05:00:00.000000Z",
        revokedAt: null
      })
      const [prefix, named, secret = ""] = key.split("_")
      assert.deepStrictEqual([prefix, named], ["ppk", keyId])
      assert.match(secret, /^[0-9A-Za-z]{43}$/)
      const listed = yield* (yield* TestClient).send("GET", "/api/v1/me", { token: key })
      assert.notInclude(listed.text, secret)
      assert.deepStrictEqual(yield* keys.list, [apiKey])
      assert.notInclude(JSON.stringify(yield* keys.list), secret)
    })
  )

  it.effect("The list has only the owner's own keys, in the order of issuance", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* owner(2), yield* owner(3)]
      assert.deepStrictEqual(yield* mine.list, [])
      const issued = []
      for (const label of ["c", "a", "b"]) {
        issued.push((yield* mine.issued({ label })).apiKey)
        yield* TestClock.adjust("1 second")
      }
      yield* theirs.issued()
      assert.deepStrictEqual(yield* mine.list, issued)
      assert.lengthOf(yield* theirs.list, 1)
    })
  )

  it.effect("A key authenticates until the moment of its expiry", () =>
    Effect.gen(function* () {
      yield* start
      const keys = yield* owner(4)
      const { key } = yield* keys.issued()
      const { key: eternal } = yield* keys.issued({ expiresAt: null })
      yield* TestClock.adjust(90 * DAY - 1)
      assert.strictEqual(yield* keyAccess(key), 200)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* keyAccess(key), 401)
      assert.strictEqual(yield* keyAccess(eternal), 200)
      yield* TestClock.adjust("36500 days")
      assert.strictEqual(yield* keyAccess(eternal), 200)
    })
  )

  it.effect("A key that has a part of another key does not authenticate", () =>
    Effect.gen(function* () {
      const keys = yield* owner(5)
      const [one, two] = [(yield* keys.issued()).key.split("_"), (yield* keys.issued()).key.split("_")]
      assert.strictEqual(yield* keyAccess(`ppk_${one[1]}_${two[2]}`), 401)
      assert.strictEqual(yield* keyAccess(`ppk_${one[1]!.toLowerCase()}_${one[2]}`), 401)
      assert.strictEqual(yield* keyAccess(`PPK_${one[1]}_${one[2]}`), 401)
      assert.strictEqual(yield* keyAccess(`ppk_${one[1]}_${one[2]}`), 200)
    })
  )

  it.effect("A revoked key fails immediately, and a repeated revocation keeps revokedAt", () =>
    Effect.gen(function* () {
      yield* start
      const keys = yield* owner(6)
      const { apiKey, key } = yield* keys.issued({ label: "laptop" })
      yield* TestClock.adjust("1 second")
      const revoked = yield* keys.revoke(apiKey.keyId)
      assert.strictEqual(revoked.status, 200)
      assert.deepStrictEqual(revoked.body, { ...apiKey, revokedAt: "2026-11-21T05:00:01.000000Z" })
      assert.strictEqual(yield* keyAccess(key), 401)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual((yield* keys.revoke(apiKey.keyId)).body, revoked.body)
      assert.deepStrictEqual(yield* keys.list, [revoked.body])
    })
  )

  it.effect("A sixth active key is refused, and a revoked or an expired key frees a place", () =>
    Effect.gen(function* () {
      yield* start
      const keys = yield* owner(7)
      const { apiKey } = yield* keys.issued()
      yield* keys.issued({ expiresAt: "2026-11-21T05:01:00Z" })
      for (let i = 0; i < 3; i++) yield* keys.issued({ expiresAt: null })
      const refuse = Effect.map(keys.issue(), (answer) => assertProblem(answer, 409, "key-limit-reached"))
      yield* refuse
      assert.lengthOf(yield* keys.list, 5)
      yield* keys.revoke(apiKey.keyId)
      yield* keys.issued()
      yield* refuse
      yield* TestClock.adjust(59_999)
      yield* refuse
      yield* TestClock.adjust(1)
      yield* keys.issued()
      yield* refuse
      assert.lengthOf(yield* keys.list, 7)
    })
  )

  it.effect("A rotation replaces a key and revokes the old one, even with five active keys", () =>
    Effect.gen(function* () {
      yield* start
      const keys = yield* owner(8)
      const old = yield* keys.issued({ label: "laptop", expiresAt: null })
      for (let i = 0; i < 4; i++) yield* keys.issued()
      yield* TestClock.adjust("1 second")
      const { body, status } = yield* keys.rotate(old.apiKey.keyId)
      assert.strictEqual(status, 200)
      const { id, keyId, ...metadata } = body.apiKey
      assert.notStrictEqual(id, old.apiKey.id)
      assert.notStrictEqual(keyId, old.apiKey.keyId)
      // The request names neither label nor expiry, so both stay.
      assert.deepStrictEqual(metadata, {
        scope: "posts:publish",
        label: "laptop",
        createdAt: "2026-11-21T05:00:01.000000Z",
        expiresAt: null,
        revokedAt: null
      })
      assert.strictEqual(yield* keyAccess(old.key), 401)
      assert.strictEqual(yield* keyAccess(body.key), 200)
      const listed = yield* keys.list
      assert.deepInclude(listed, { ...old.apiKey, revokedAt: "2026-11-21T05:00:01.000000Z" })
      assert.deepInclude(listed, body.apiKey)
      assert.lengthOf(
        listed.filter(({ revokedAt }) => revokedAt === null),
        5
      )
    })
  )

  it.effect("A rotation takes a label and an expiry of its own", () =>
    Effect.gen(function* () {
      yield* start
      const keys = yield* owner(9)
      const first = yield* keys.issued({ label: "laptop" })
      const asked = { label: "phone", expiresAt: "2026-12-01T00:00:00+01:00" }
      const second = (yield* keys.rotate(first.apiKey.keyId, asked)).body.apiKey
      assert.deepInclude(second, { label: "phone", expiresAt: "2026-11-30T23:00:00.000000Z" })
      const third = (yield* keys.rotate(second.keyId, { label: null, expiresAt: null })).body.apiKey
      assert.deepInclude(third, { label: null, expiresAt: null })
    })
  )

  it.effect("A rotation keeps an expiry that it does not name, to the microsecond", () =>
    Effect.gen(function* () {
      yield* start
      const keys = yield* owner(14)
      const expiresAt = "2026-12-01T00:00:00.123456Z"
      const first = (yield* keys.issued({ expiresAt })).apiKey
      assert.strictEqual(
        (yield* keys.rotate(first.keyId, { label: "phone" })).body.apiKey.expiresAt,
        expiresAt
      )
    })
  )

  it.effect("The list has every active key and the newest 100 others, in the order of issuance", () =>
    Effect.gen(function* () {
      yield* start
      const keys = yield* owner(15)
      const eternal = (yield* keys.issued({ label: "first", expiresAt: null })).apiKey
      const ids: Array<string> = []
      for (let i = 0; i < 102; i++) {
        const { apiKey } = yield* keys.issued()
        yield* keys.revoke(apiKey.keyId)
        ids.push(apiKey.keyId)
        yield* TestClock.adjust(1)
      }
      const last = (yield* keys.issued()).apiKey
      const listed = (yield* keys.list).map(({ keyId }) => keyId)
      assert.deepStrictEqual(listed, [eternal.keyId, ...ids.slice(2), last.keyId])
    })
  )

  it.effect("A key that is revoked, expired, foreign or unknown is not rotated, and no key is made", () =>
    Effect.gen(function* () {
      yield* start
      const [keys, theirs] = [yield* owner(10), yield* owner(11)]
      const revoked = yield* keys.issued()
      yield* keys.revoke(revoked.apiKey.keyId)
      const expired = yield* keys.issued({ expiresAt: "2026-11-21T05:00:01Z" })
      yield* TestClock.adjust(1000)
      const foreign = yield* theirs.issued()
      const before = yield* keys.list
      const ids = [revoked, expired, foreign].map(({ apiKey }) => apiKey.keyId)
      for (const id of [...ids, revoked.apiKey.id, "0".repeat(16), "x", "é/\u0001", "a b"]) {
        assertProblem(yield* keys.rotate(id), 404, "not-found")
      }
      assert.deepStrictEqual(yield* keys.list, before)
      assert.strictEqual(yield* keyAccess(foreign.key), 200)
    })
  )

  it.effect("A foreign key is not revoked, and the answer does not reveal that it exists", () =>
    Effect.gen(function* () {
      const [keys, theirs] = [yield* owner(12), yield* owner(13)]
      const { apiKey, key } = yield* theirs.issued()
      const foreign = yield* keys.revoke(apiKey.keyId)
      const unknown = yield* keys.revoke("0".repeat(16))
      assertProblem(foreign, 404, "not-found")
      assert.strictEqual(foreign.text, unknown.text)
      for (const id of [apiKey.id, "x", "é/", "%00"]) assertProblem(yield* keys.revoke(id), 404, "not-found")
      assert.strictEqual(yield* keyAccess(key), 200)
    })
  )
})
