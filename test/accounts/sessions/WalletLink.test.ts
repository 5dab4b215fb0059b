import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { signIn, walletOf } from "../../support/actors/owner.ts"
import { BASE_URL, TestClient } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"
import { assertJsonError, jsonFieldCodes } from "../account-email/flows.ts"
import { registered } from "../registrations/flows.ts"
import { assertProblem, type Challenge, challengeOf, claimOf, sendClaim } from "./flows.ts"

const PATH = "/api/v1/account/wallet"

const ownerIdOf = (pair: { readonly accessToken: string }) => decodeJwt(pair.accessToken).sub

layer(twoServices("test_wallet_link"))("the link of a wallet to an account by e-mail (5.6)", (it) => {
  const send = (path: string, token: string, body: unknown) =>
    Effect.flatMap(TestClient, (client) => client.send("POST", `${PATH}${path}`, { token, body }))

  const linkChallenge = Effect.fnUntraced(function* (token: string, number: number) {
    const { body, status, text } = yield* send("/challenge", token, { account: walletOf(number).account })
    assert.strictEqual(status, 201, text)
    return body as Challenge
  })

  const claimFor = (token: string, number: number, changes: Record<string, unknown> = {}) =>
    Effect.map(linkChallenge(token, number), (challenge) => claimOf(walletOf(number), challenge, changes))

  it.effect("A linked wallet signs in to the account, /me shows it, and a repeated link answers alike", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const owner = yield* registered("ada@example.org")
      const challenge = yield* linkChallenge(owner.accessToken, 1)
      const lines = challenge.message.split("\n")
      assert.include(lines[3], String(ownerIdOf(owner)))
      assert.strictEqual(lines[5], `URI: ${BASE_URL}${PATH}`)
      const claim = claimOf(walletOf(1), challenge)
      const answer = yield* send("", owner.accessToken, claim)
      assert.strictEqual(answer.status, 200, answer.text)
      assert.deepStrictEqual(answer.body, { walletAddress: walletOf(1).account })
      assert.deepStrictEqual((yield* send("", owner.accessToken, claim)).body, answer.body)
      const again = yield* claimFor(owner.accessToken, 1)
      assert.deepStrictEqual((yield* send("", owner.accessToken, again)).body, answer.body)
      const byWallet = yield* signIn(1)
      assert.strictEqual(ownerIdOf(byWallet), ownerIdOf(owner))
      const me = yield* client.send("GET", "/api/v1/me", { token: byWallet.accessToken })
      assert.deepStrictEqual(me.body.identity, {
        durable: true,
        walletLinked: true,
        walletAddress: walletOf(1).account,
        email: "ada@example.org",
        emailVerified: true
      })
    })
  )

  it.effect("Every failure of a proof is 422 invalid_challenge, and links nothing", () =>
    Effect.gen(function* () {
      const owner = yield* registered("bea@example.org")
      const other = yield* registered("bob@example.org")
      const challenge = yield* linkChallenge(owner.accessToken, 2)
      const login = yield* challengeOf(walletOf(2))
      const foreign = yield* linkChallenge(other.accessToken, 2)
      const failures = [
        claimOf(walletOf(2), challenge, { challengeId: "00000000-0000-4000-8000-000000000000" }),
        claimOf(walletOf(2), challenge, { signature: "0".repeat(128) }),
        claimOf(walletOf(3), challenge),
        claimOf(walletOf(2), challenge, { signatureFormat: "blake2b" }),
        claimOf(walletOf(2), login),
        claimOf(walletOf(2), foreign)
      ]
      for (const claim of failures)
        assertJsonError(yield* send("", owner.accessToken, claim), 422, "invalid_challenge")
      // A challenge for a link does not sign the wallet in.
      assertProblem(yield* sendClaim(claimOf(walletOf(2), challenge)), 401, "invalid-challenge")
      yield* TestClock.adjust("5 minutes")
      assertJsonError(
        yield* send("", owner.accessToken, claimOf(walletOf(2), challenge)),
        422,
        "invalid_challenge"
      )
      const dead = yield* linkChallenge(owner.accessToken, 2)
      for (let i = 0; i < 5; i++)
        yield* send("", owner.accessToken, claimOf(walletOf(2), dead, { signature: "0".repeat(128) }))
      assertJsonError(
        yield* send("", owner.accessToken, claimOf(walletOf(2), dead)),
        422,
        "invalid_challenge"
      )
      const { body } = yield* (yield* TestClient).send("GET", "/api/v1/me", { token: owner.accessToken })
      assert.isFalse(body.identity.walletLinked)
    })
  )

  it.effect(
    "A wallet with an account is 409 wallet_taken, and a second wallet is 409 wallet_already_linked",
    () =>
      Effect.gen(function* () {
        const owner = yield* registered("cleo@example.org")
        yield* signIn(4)
        const taken = yield* claimFor(owner.accessToken, 4)
        for (let i = 0; i < 2; i++)
          assertJsonError(yield* send("", owner.accessToken, taken), 409, "wallet_taken")
        assert.strictEqual(
          (yield* send("", owner.accessToken, yield* claimFor(owner.accessToken, 5))).status,
          200
        )
        assertJsonError(
          yield* send("", owner.accessToken, yield* claimFor(owner.accessToken, 6)),
          409,
          "wallet_already_linked"
        )
        const byWallet = yield* signIn(7)
        assertJsonError(
          yield* send("", byWallet.accessToken, yield* claimFor(byWallet.accessToken, 6)),
          409,
          "wallet_already_linked"
        )
      })
  )

  it.effect("A link needs an owner session, and an account with a private key", () =>
    Effect.gen(function* () {
      const owner = yield* registered("dora@example.org")
      const burn = "nano_1111111111111111111111111111111111111111111111111111hifc8npp"
      assert.deepStrictEqual(
        jsonFieldCodes(yield* send("/challenge", owner.accessToken, { account: burn })),
        [["account", "invalid"]]
      )
      for (const path of ["", "/challenge"])
        assertJsonError(yield* send(path, "none", { account: walletOf(8).account }), 401, "unauthorized")
    })
  )

  it.effect("Twenty concurrent links of one challenge all succeed, and link once", () =>
    Effect.gen(function* () {
      const owner = yield* registered("ena@example.org")
      const claim = yield* claimFor(owner.accessToken, 9)
      const answers = yield* Effect.replicateEffect(send("", owner.accessToken, claim), 20, {
        concurrency: "unbounded"
      })
      for (const { body } of answers) assert.deepStrictEqual(body, { walletAddress: walletOf(9).account })
    })
  )

  it.effect("Of two accounts that link one wallet, one has it and the other gets wallet_taken", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let number = 20; number < 30; number++) {
        const owners = [
          yield* registered(`f${number}@example.org`),
          yield* registered(`g${number}@example.org`)
        ]
        const claims = yield* Effect.forEach(owners, ({ accessToken }) => claimFor(accessToken, number))
        const answers = yield* Effect.forEach(
          owners,
          ({ accessToken }, n) => send("", accessToken, claims[n]),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
        assert.lengthOf(
          yield* sql`select from owners where wallet_public_key is not null and email like ${`_${number}@%`}`,
          1
        )
      }
    })
  )

  it.effect("A link concurrent with the wallet's first sign-in leaves one account with the wallet", () =>
    Effect.gen(function* () {
      for (let number = 40; number < 50; number++) {
        const owner = yield* registered(`h${number}@example.org`)
        const claim = yield* claimFor(owner.accessToken, number)
        const login = claimOf(walletOf(number), yield* challengeOf(walletOf(number)))
        const [linked, signedIn] = yield* Effect.all([send("", owner.accessToken, claim), sendClaim(login)], {
          concurrency: "unbounded"
        })
        assert.strictEqual(signedIn.status, 200, signedIn.text)
        if (linked.status !== 200) assertJsonError(linked, 409, "wallet_taken")
        assert.strictEqual(ownerIdOf(signedIn.body) === ownerIdOf(owner), linked.status === 200)
      }
    })
  )
})
