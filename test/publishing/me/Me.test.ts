import { assert, layer } from "@effect/vitest"
import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Me as MeAnswer } from "../../../schemas/accounts/me/Me.ts"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { Me } from "../../../src/publishing/me/Me.ts"
import { usableAddresses } from "../../accounts/payout-address/addresses.ts"
import { emailColumns, insertOwner, keyOf, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"

const assembly = Me.layer.pipe(Layer.provide(Layer.succeed(PublicBaseUrl, "https://pennypress.example")))

const [wallet, payout] = usableAddresses

/** Returns the wire form of an answer; fails on members outside the contract. */
const checked = Effect.fn(function* (answer: MeAnswer) {
  yield* Schema.decodeEffect(MeAnswer, { onExcessProperty: "error" })(answer)
  const wire: Record<string, unknown> = { ...(yield* Schema.encodeEffect(MeAnswer)(answer)) }
  return wire
}, Effect.orDie)

const signIn = Effect.fn(function* (owner: OwnerId) {
  const sql = yield* SqlClient.SqlClient
  const session = sessionOf(owner)
  const expires_at = new Date("2026-02-01T00:00:00Z")
  yield* sql`insert into sessions ${sql.insert({
    id: session.sessionId,
    owner_id: owner,
    method: "nano",
    created_at: new Date(0),
    expires_at
  })}`
  return session
})

const insertKey = Effect.fn(function* (owner: OwnerId, columns: Record<string, unknown> = {}) {
  const sql = yield* SqlClient.SqlClient
  const key = keyOf(owner)
  yield* sql`insert into api_keys ${sql.insert({
    id: key.apiKeyId,
    owner_id: owner,
    key_id: key.keyId,
    secret_hash: new Uint8Array(32),
    label: "laptop",
    created_at: new Date(0),
    expires_at: new Date("2026-04-01T00:00:00Z"),
    ...columns
  })}`
  return key
})

const complete = {
  name: "Ada",
  handle: "Ada_Lovelace",
  payout_address: payout,
  payout_revision: 3,
  wallet_public_key: hexToBytes(publicKeyOfAddress(wallet))
}

const limits = (used: number) => ({
  activeKeys: { used, max: 5 },
  openUploads: { used: 0, max: 10 },
  transfersToday: { used: 0, max: 100 },
  storedBytes: { used: 0, max: 1_073_741_824 }
})

layer(assembly.pipe(Layer.provideMerge(database("test_me"))))("identity and readiness (2.6)", (it) => {
  it.effect("An owner session reads everything about its owner", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 2))
      const id = yield* insertOwner(1, complete)
      const session = yield* signIn(id)
      yield* insertKey(id)
      assert.deepEqual(yield* checked(yield* (yield* Me).ofOwner(session)), {
        owner: {
          id,
          name: "Ada",
          handle: "Ada_Lovelace",
          authorKind: "human",
          profileUrl: "https://pennypress.example/@Ada_Lovelace",
          createdAt: "1970-01-01T00:00:00.000000Z"
        },
        credential: {
          kind: "owner_session",
          method: "nano",
          scopes: [],
          keyId: null,
          label: null,
          expiresAt: "2026-02-01T00:00:00.000000Z"
        },
        authority: { account: true, publish: false, read: true },
        identity: {
          durable: true,
          walletLinked: true,
          walletAddress: wallet,
          email: null,
          emailVerified: false
        },
        payout: { configured: true, payoutAddress: payout, revision: 3 },
        limits: limits(1),
        publication: { ready: true, blockers: [] }
      })
    })
  )

  it.effect("A Publishing key reads a reduced view", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(2, {
        ...complete,
        handle: "by_key",
        wallet_public_key: new Uint8Array(32)
      })
      const key = yield* insertKey(id)
      const answer = yield* checked(yield* (yield* Me).ofPublisher(key))
      assert.deepInclude(answer, {
        credential: {
          kind: "publishing_key",
          method: null,
          scopes: ["posts:publish"],
          keyId: key.keyId,
          label: "laptop",
          expiresAt: "2026-04-01T00:00:00.000000Z"
        },
        authority: { account: false, publish: true, read: false },
        identity: { durable: true, walletLinked: true, emailVerified: false },
        payout: { configured: true, addressHint: `${payout.slice(0, 9)}…${payout.slice(-4)}` },
        publication: { ready: true, blockers: [] }
      })
      assert.notInclude(JSON.stringify(answer), payout)
    })
  )

  it.effect("Both credentials read the publication blockers of a new account", () =>
    Effect.gen(function* () {
      const identity = yield* Me
      const id = yield* insertOwner(3)
      const publication = {
        ready: false,
        blockers: [
          { code: "profile_name_required" },
          { code: "profile_handle_required" },
          { code: "payout_address_required" }
        ]
      }
      const mine = yield* checked(yield* identity.ofOwner(yield* signIn(id)))
      assert.deepInclude(mine, {
        publication,
        payout: { configured: false, payoutAddress: null, revision: 0 }
      })
      const keys = yield* checked(
        yield* identity.ofPublisher(yield* insertKey(id, { label: null, expires_at: null }))
      )
      assert.deepInclude(keys, { publication, payout: { configured: false, addressHint: null } })
      assert.deepInclude(keys["credential"], { label: null, expiresAt: null })
    })
  )

  it.effect("Each blocker is named when it is the only one", () =>
    Effect.gen(function* () {
      const identity = yield* Me
      const lacking = {
        profile_name_required: { name: "New User" },
        profile_handle_required: { handle: "user_4" },
        payout_address_required: { payout_address: null }
      }
      let number = 10
      for (const [code, columns] of Object.entries(lacking)) {
        const wallet_public_key = new Uint8Array(32).fill(number)
        const id = yield* insertOwner(number, {
          ...complete,
          handle: `owner_${number}`,
          wallet_public_key,
          ...columns
        })
        const { publication } = yield* identity.ofOwner(yield* signIn(id))
        assert.deepEqual<unknown>(publication, { ready: false, blockers: [{ code }] })
        number++
      }
    })
  )

  it.effect("The identity says whether it is durable or a guest", () =>
    Effect.gen(function* () {
      const identity = yield* Me
      const none = { walletLinked: false, walletAddress: null, email: null, emailVerified: false }
      const guest = yield* insertOwner(20, { kind: "guest", wallet_public_key: null })
      const owner = yield* insertOwner(21, emailColumns(21))
      assert.deepStrictEqual((yield* identity.ofOwner(yield* signIn(guest))).identity, {
        ...none,
        durable: false
      })
      assert.deepStrictEqual((yield* identity.ofOwner(yield* signIn(owner))).identity, {
        ...none,
        durable: true,
        email: EmailAddress.make("owner21@example.org"),
        emailVerified: true
      })
    })
  )

  it.effect("The count of active keys follows the clock", () =>
    Effect.gen(function* () {
      const identity = yield* Me
      yield* TestClock.setTime(Date.UTC(2026, 0, 2))
      const id = yield* insertOwner(30)
      const session = yield* signIn(id)
      const at = (number: number, columns: Record<string, unknown>) => {
        const { apiKeyId, keyId } = keyOf(id)
        return insertKey(id, {
          id: apiKeyId.replace("-8300-", `-84${number}0-`),
          key_id: keyId.replace("key0", `key${number}`),
          ...columns
        })
      }
      yield* at(1, { expires_at: null })
      yield* at(2, { expires_at: new Date("2026-01-03T00:00:00Z") })
      yield* at(3, { expires_at: new Date("2026-01-01T00:00:00Z") })
      yield* at(4, { expires_at: null, revoked_at: new Date(0) })
      assert.deepStrictEqual((yield* identity.ofOwner(session)).limits, limits(2))
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual((yield* identity.ofOwner(session)).limits, limits(1))
    })
  )
})
