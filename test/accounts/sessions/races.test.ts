import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { decodeJwt } from "jose"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { signIn, walletOf } from "../../support/actors/owner.ts"
import { TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { twoServices } from "../../support/twoServices.ts"
import { accessOf, assertProblem, challengeOf, claimOf, refreshed, sendClaim, sendRefresh } from "./flows.ts"

const atOnce = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
  Effect.all(
    Array.from({ length: count }, () => effect),
    { concurrency: "unbounded" }
  )

const succeeded = (answers: ReadonlyArray<TestAnswer>) => answers.filter(({ status }) => status === 200)

layer(twoServices("test_session_races"))("sessions in two parallel processes (3.5, 5)", (it) => {
  it.effect("Fifty claims of one challenge give one session and 49 invalid-challenge", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const wallet = walletOf(1)
      const claim = claimOf(wallet, yield* challengeOf(wallet))
      const answers = yield* atOnce(50, sendClaim(claim))
      const [winner, ...others] = succeeded(answers)
      assert.isDefined(winner)
      assert.lengthOf(others, 0)
      for (const answer of answers) if (answer !== winner) assertProblem(answer, 401, "invalid-challenge")
      const owner = decodeJwt(winner.body.accessToken).sub ?? ""
      assert.lengthOf(yield* sql`select from sessions where owner_id = ${owner}`, 1)
      // A late claim has a valid signature, so it does not count as a failed guess.
      assert.deepStrictEqual(
        yield* sql`select failed_claims from wallet_challenges where id = ${claim.challengeId}`,
        [{ failed_claims: 0 }]
      )
    })
  )

  it.effect("Two first claims of a new wallet, with two challenges, give one owner", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let number = 10; number < 20; number++) {
        const wallet = walletOf(number)
        const claims = (yield* atOnce(2, challengeOf(wallet))).map((challenge) => claimOf(wallet, challenge))
        const answers = yield* Effect.forEach(claims, sendClaim, { concurrency: "unbounded" })
        const pairs = succeeded(answers).map(({ body }) => body)
        assert.lengthOf(pairs, 2)
        assert.strictEqual(new Set(pairs.map(({ accessToken }) => decodeJwt(accessToken).sub)).size, 1)
        const key = publicKeyOfAddress(wallet.account)
        assert.lengthOf(yield* sql`select from owners where wallet_public_key = decode(${key}, 'hex')`, 1)
        for (const { accessToken } of pairs) assert.strictEqual(yield* accessOf(accessToken), 200)
      }
    })
  )

  it.effect("A right claim among concurrent wrong ones either succeeds or the challenge dies", () =>
    Effect.gen(function* () {
      const wallet = walletOf(2)
      const challenge = yield* challengeOf(wallet)
      const wrong = claimOf(wallet, challenge, { signature: "0".repeat(128) })
      const right = claimOf(wallet, challenge)
      const answers = yield* Effect.forEach([wrong, wrong, wrong, wrong, right, wrong, wrong], sendClaim, {
        concurrency: "unbounded"
      })
      assert.isAtMost(succeeded(answers).length, 1)
      assertProblem(yield* sendClaim(right), 401, "invalid-challenge")
    })
  )

  it.effect("Fifty refreshes of one token give one rotation and one pair", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (let number = 20; number < 23; number++) {
        const { accessToken, refreshToken } = yield* signIn(number)
        const answers = yield* atOnce(50, sendRefresh(refreshToken))
        assert.lengthOf(succeeded(answers), 50)
        assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
        const session = decodeJwt(accessToken)["sid"] as string
        const tokens = yield* sql`select rotated_at is null as current from refresh_tokens
          where session_id = ${session} order by 1`
        assert.deepStrictEqual(tokens, [{ current: false }, { current: true }])
        yield* refreshed(answers[0]!.body.refreshToken)
      }
    })
  )

  it.effect("A refresh concurrent with the reuse of an older token leaves nothing of the family", () =>
    Effect.gen(function* () {
      for (let number = 30; number < 40; number++) {
        const first = yield* signIn(number)
        const second = yield* refreshed(first.refreshToken)
        const third = yield* refreshed(second.refreshToken)
        const [reuse, renewed] = yield* Effect.all(
          [sendRefresh(first.refreshToken), sendRefresh(third.refreshToken)],
          { concurrency: "unbounded" }
        )
        assertProblem(reuse, 401, "session-expired")
        const last = renewed.status === 200 ? renewed.body : third
        assert.strictEqual(yield* accessOf(last.accessToken), 401)
        assertProblem(yield* sendRefresh(last.refreshToken), 401, "session-expired")
      }
    })
  )

  it.effect("A refresh concurrent with the logout leaves nothing of the session", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      for (let number = 40; number < 50; number++) {
        const { accessToken, refreshToken } = yield* signIn(number)
        const [logout, renewed] = yield* Effect.all(
          [client.send("POST", "/api/v1/auth/logout", { token: accessToken }), sendRefresh(refreshToken)],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(logout.status, 200)
        if (renewed.status !== 200) assertProblem(renewed, 401, "session-expired")
        const tokens = renewed.status === 200 ? [refreshToken, renewed.body.refreshToken] : [refreshToken]
        for (const token of tokens) assertProblem(yield* sendRefresh(token), 401, "session-expired")
        assert.strictEqual(yield* accessOf(renewed.body.accessToken ?? accessToken), 401)
      }
    })
  )
})
