import { assert, layer } from "@effect/vitest"
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { signIn, signMessage, walletOf } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { accessOf, assertProblem, challengeOf, claimOf, fieldCodes, sendClaim } from "./flows.ts"

/** The order of the group of Ed25519. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n

/** Adds L to the S of a signature. If that verified, third parties could alter signatures. */
const malleated = (signature: string) => {
  const s = BigInt(`0x${bytesToHex(hexToBytes(signature.slice(64)).toReversed())}`) + ORDER
  return signature.slice(0, 64) + bytesToHex(hexToBytes(s.toString(16).padStart(64, "0")).toReversed())
}

const idOf = (pair: { readonly accessToken: string }) => decodeJwt(pair.accessToken).sub

layer(service(database("test_wallet_claim")))("the claim of a wallet login (5)", (it) => {
  it.effect("A claim by noms opens a session and answers exactly a token pair", () =>
    Effect.gen(function* () {
      const wallet = walletOf(1)
      const answer = yield* sendClaim(claimOf(wallet, yield* challengeOf(wallet)))
      assert.strictEqual(answer.status, 200)
      assert.sameMembers(Object.keys(answer.body), ["accessToken", "refreshToken"])
      assert.match(answer.body.refreshToken, /^ppw_[0-9A-Za-z]{43}$/)
      assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      assert.isNull(answer.headers.get("set-cookie"))
      assert.strictEqual(yield* accessOf(answer.body.accessToken), 200)
    })
  )

  it.effect("A claim may name its format, use blake2b, upper case or an xrb_ address", () =>
    Effect.gen(function* () {
      const wallet = walletOf(2)
      const signed = (format: "noms" | "blake2b", changes: (signature: string) => Record<string, unknown>) =>
        Effect.gen(function* () {
          const challenge = yield* challengeOf(wallet)
          const { status } = yield* sendClaim(
            claimOf(wallet, challenge, changes(signMessage(wallet, challenge.message, format)))
          )
          assert.strictEqual(status, 200)
        })
      yield* signed("noms", (signature) => ({ signature, signatureFormat: "noms" }))
      yield* signed("blake2b", (signature) => ({ signature, signatureFormat: "blake2b" }))
      yield* signed("noms", (signature) => ({ signature: signature.toUpperCase() }))
      yield* signed("noms", (signature) => ({ signature, account: wallet.account.replace("nano_", "xrb_") }))
    })
  )

  it.effect("Every failure of a claim is the same 401 invalid-challenge", () =>
    Effect.gen(function* () {
      const wallet = walletOf(3)
      const other = walletOf(4)
      const challenge = yield* challengeOf(wallet)
      const { message } = challenge
      const signature = signMessage(wallet, message)
      const flipped = `${signature.slice(0, -1)}${signature.endsWith("0") ? "1" : "0"}`
      const used = yield* challengeOf(wallet)
      assert.strictEqual((yield* sendClaim(claimOf(wallet, used))).status, 200)
      const otherChallenge = yield* challengeOf(other)

      const failures: Record<string, Effect.Effect<Record<string, unknown>, never, TestClient>> = {
        unknown: Effect.succeed(
          claimOf(wallet, challenge, { challengeId: "00000000-0000-4000-8000-000000000000" })
        ),
        used: Effect.succeed(claimOf(wallet, used)),
        "another message": Effect.succeed(
          claimOf(wallet, challenge, { signature: signMessage(wallet, `${message}\n`) })
        ),
        "another challenge's message": Effect.succeed(
          claimOf(wallet, challenge, { signature: signMessage(wallet, otherChallenge.message) })
        ),
        "another account's signature": Effect.succeed(
          claimOf(wallet, challenge, { signature: signMessage(other, message) })
        ),
        "another account": Effect.succeed(
          claimOf(other, challenge, { signature: signMessage(other, message) })
        ),
        "another format": Effect.map(challengeOf(wallet), (it) =>
          claimOf(wallet, it, { signature: signMessage(wallet, it.message, "blake2b") })
        ),
        "a format that was not signed": Effect.map(challengeOf(wallet), (it) =>
          claimOf(wallet, it, { signatureFormat: "blake2b" })
        ),
        "a malleated signature (S + L)": Effect.map(challengeOf(wallet), (it) =>
          claimOf(wallet, it, { signature: malleated(signMessage(wallet, it.message)) })
        ),
        "a signature with a bit changed": Effect.succeed(
          claimOf(wallet, yield* challengeOf(wallet), { signature: flipped })
        ),
        "a signature of zeros": Effect.succeed(
          claimOf(wallet, yield* challengeOf(wallet), { signature: "0".repeat(128) })
        )
      }
      const bodies = new Set<string>()
      for (const [why, make] of Object.entries(failures)) {
        const answer = yield* sendClaim(yield* make)
        assertProblem(answer, 401, "invalid-challenge")
        bodies.add(answer.text)
        assert.strictEqual(bodies.size, 1, why)
      }
    })
  )

  it.effect("A challenge can be claimed for five minutes, less one millisecond", () =>
    Effect.gen(function* () {
      const wallet = walletOf(5)
      const early = yield* challengeOf(wallet)
      const late = yield* challengeOf(wallet)
      yield* TestClock.adjust(5 * 60_000 - 1)
      assert.strictEqual((yield* sendClaim(claimOf(wallet, early))).status, 200)
      yield* TestClock.adjust(1)
      assertProblem(yield* sendClaim(claimOf(wallet, late)), 401, "invalid-challenge")
    })
  )

  it.effect("Five failures end a challenge, and four do not", () =>
    Effect.gen(function* () {
      const wallet = walletOf(6)
      const failTimes = (count: number) =>
        Effect.gen(function* () {
          const challenge = yield* challengeOf(wallet)
          const wrong = claimOf(wallet, challenge, { signature: "0".repeat(128) })
          for (let i = 0; i < count; i++) assertProblem(yield* sendClaim(wrong), 401, "invalid-challenge")
          return yield* sendClaim(claimOf(wallet, challenge))
        })
      assert.strictEqual((yield* failTimes(4)).status, 200)
      assertProblem(yield* failTimes(5), 401, "invalid-challenge")
    })
  )

  it.effect("Only a valid signature consumes a challenge", () =>
    Effect.gen(function* () {
      const wallet = walletOf(7)
      const sql = yield* SqlClient.SqlClient
      const challenge = yield* challengeOf(wallet)
      const claimed = sql`select claimed_at is not null as claimed, failed_claims from wallet_challenges
        where id = ${challenge.challengeId}`
      yield* sendClaim(claimOf(wallet, challenge, { signature: "0".repeat(128) }))
      yield* sendClaim(claimOf(walletOf(8), challenge))
      // A signature that does not decode does not count as an attempt.
      yield* sendClaim(claimOf(wallet, challenge, { signature: "0".repeat(126) }))
      assert.deepStrictEqual(yield* claimed, [{ claimed: false, failed_claims: 2 }])
      assert.strictEqual((yield* sendClaim(claimOf(wallet, challenge))).status, 200)
      assert.deepStrictEqual(yield* claimed, [{ claimed: true, failed_claims: 2 }])
    })
  )

  it.effect("The first valid claim creates the owner, and a later one keeps the owner's id", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const sql = yield* SqlClient.SqlClient
      const before = yield* sql`select from owners`
      const first = yield* signIn(9)
      yield* TestClock.adjust("40 days")
      const second = yield* signIn(9)
      assert.strictEqual(idOf(first), idOf(second))
      assert.notStrictEqual(decodeJwt(first.accessToken)["sid"], decodeJwt(second.accessToken)["sid"])
      assert.lengthOf(yield* sql`select from owners`, before.length + 1)
      const { body } = yield* client.send("GET", "/api/v1/me", { token: second.accessToken })
      assert.strictEqual(body.owner.id, idOf(first))
      assert.match(body.owner.handle, /^user_[0-9a-f]{12}$/)
      assert.strictEqual(body.identity.walletAddress, walletOf(9).account)
      assert.deepInclude(body.credential, { kind: "owner_session", method: "nano" })
    })
  )

  it.effect("A claim keeps the id of an e-mail account whose wallet was linked", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = idOf(yield* signIn(10))
      yield* sql`update owners set kind = 'email', email = 'first@example.org', mailbox = 'first@example.org',
        email_verified_at = created_at
        where id = ${id}`
      assert.strictEqual(idOf(yield* signIn(10)), id)
    })
  )

  it.effect("A body of the wrong shape has every member named", () =>
    Effect.gen(function* () {
      const wallet = walletOf(11)
      const challenge = yield* challengeOf(wallet)
      const refused = (changes: Record<string, unknown>) =>
        Effect.map(sendClaim(claimOf(wallet, challenge, changes)), fieldCodes)
      assert.deepStrictEqual(yield* Effect.map(sendClaim({}), fieldCodes), [
        ["challengeId", "required"],
        ["account", "required"],
        ["signature", "required"]
      ])
      assert.deepStrictEqual(yield* refused({ challengeId: "1" }), [["challengeId", "invalid"]])
      assert.deepStrictEqual(yield* refused({ account: "nano_1" }), [["account", "invalid"]])
      for (const signature of ["", "0".repeat(127), "0".repeat(129), `${"0".repeat(127)}g`, null]) {
        assert.deepStrictEqual(yield* refused({ signature }), [["signature", "invalid"]])
      }
      for (const signatureFormat of ["NOMS", "", null, "raw"]) {
        assert.deepStrictEqual(yield* refused({ signatureFormat }), [["signatureFormat", "invalid"]])
      }
      assert.deepStrictEqual(yield* refused({ message: challenge.message }), [["message", "unknown"]])
    })
  )
})
