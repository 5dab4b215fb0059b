import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { decodeJwt } from "jose"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { accessOf, assertProblem, fieldCodes, refreshed, sendRefresh } from "./flows.ts"

const THIRTY_DAYS = 30 * 24 * 60 * 60 * 1000

const assertExpired = (refreshToken: string) =>
  Effect.map(sendRefresh(refreshToken), (answer) => assertProblem(answer, 401, "session-expired"))

layer(service(database("test_refresh")))("refresh of a wallet session (3.5, 4.1, 5)", (it) => {
  it.effect("A refresh replaces both tokens, sets no cookie and accepts an expired access token", () =>
    Effect.gen(function* () {
      const first = yield* signIn(1)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* accessOf(first.accessToken), 401)
      const answer = yield* sendRefresh(first.refreshToken)
      assert.strictEqual(answer.status, 200)
      assert.sameMembers(Object.keys(answer.body), ["accessToken", "refreshToken"])
      assert.match(answer.body.refreshToken, /^ppw_[0-9A-Za-z]{43}$/)
      assert.notStrictEqual(answer.body.refreshToken, first.refreshToken)
      assert.notStrictEqual(answer.body.accessToken, first.accessToken)
      assert.isNull(answer.headers.get("set-cookie"))
      assert.strictEqual(answer.headers.get("cache-control"), "private, no-store")
      assert.strictEqual(yield* accessOf(answer.body.accessToken), 200)
      const [before, after] = [decodeJwt(first.accessToken), decodeJwt(answer.body.accessToken)]
      assert.deepStrictEqual([after.sub, after["sid"]], [before.sub, before["sid"]])
    })
  )

  it.effect("Each refresh answers a new access token, even within one second", () =>
    Effect.gen(function* () {
      const first = yield* signIn(11)
      const second = yield* refreshed(first.refreshToken)
      const third = yield* refreshed(second.refreshToken)
      const tokens = [first, second, third].map(({ accessToken }) => accessToken)
      assert.strictEqual(new Set(tokens).size, 3)
    })
  )

  it.effect("An access token from before a refresh lives on until it expires", () =>
    Effect.gen(function* () {
      const first = yield* signIn(2)
      yield* refreshed(first.refreshToken)
      assert.strictEqual(yield* accessOf(first.accessToken), 200)
    })
  )

  it.effect("An exact retry returns the same pair for 10.000 seconds, however often", () =>
    Effect.gen(function* () {
      const { refreshToken } = yield* signIn(3)
      const pair = yield* refreshed(refreshToken)
      assert.deepStrictEqual(yield* refreshed(refreshToken), pair)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(yield* refreshed(refreshToken), pair)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(yield* refreshed(refreshToken), pair)
      assert.strictEqual(yield* accessOf(pair.accessToken), 200)
    })
  )

  it.effect("A retry after 10.001 seconds revokes the token family, including the new tokens", () =>
    Effect.gen(function* () {
      const first = yield* signIn(4)
      const pair = yield* refreshed(first.refreshToken)
      yield* TestClock.adjust(10_001)
      yield* assertExpired(first.refreshToken)
      yield* assertExpired(pair.refreshToken)
      assert.strictEqual(yield* accessOf(pair.accessToken), 401)
      assert.strictEqual(yield* accessOf(first.accessToken), 401)
    })
  )

  it.effect("A retry after the replacement rotated again revokes the family, even within 10 seconds", () =>
    Effect.gen(function* () {
      const first = yield* signIn(5)
      const second = yield* refreshed(first.refreshToken)
      const third = yield* refreshed(second.refreshToken)
      yield* assertExpired(first.refreshToken)
      yield* assertExpired(second.refreshToken)
      yield* assertExpired(third.refreshToken)
      assert.strictEqual(yield* accessOf(third.accessToken), 401)
    })
  )

  it.effect("The reuse of one family leaves the owner's other sessions alone", () =>
    Effect.gen(function* () {
      const reused = yield* signIn(6)
      const other = yield* signIn(6)
      yield* refreshed(reused.refreshToken)
      yield* TestClock.adjust("1 minute")
      yield* assertExpired(reused.refreshToken)
      assert.strictEqual(yield* accessOf(other.accessToken), 200)
      yield* refreshed(other.refreshToken)
    })
  )

  it.effect("A family ends 30 days after its login, however often it is rotated", () =>
    Effect.gen(function* () {
      const first = yield* signIn(7)
      yield* TestClock.adjust("15 days")
      const second = yield* refreshed(first.refreshToken)
      yield* TestClock.adjust(THIRTY_DAYS / 2 - 1)
      const third = yield* refreshed(second.refreshToken)
      assert.strictEqual(yield* accessOf(third.accessToken), 200)
      yield* TestClock.adjust(1)
      // The access token has not expired, but its session has ended.
      assert.strictEqual(yield* accessOf(third.accessToken), 401)
      yield* assertExpired(second.refreshToken)
      yield* assertExpired(third.refreshToken)
    })
  )

  it.effect("The expiry in /api/v1/me is the end of the family, which a refresh does not move", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const first = yield* signIn(8)
      yield* TestClock.adjust("10 days")
      const { accessToken } = yield* refreshed(first.refreshToken)
      const { body } = yield* client.send("GET", "/api/v1/me", { token: accessToken })
      assert.strictEqual(body.credential.expiresAt, "2026-12-21T05:00:00.000000Z")
    })
  )

  it.effect("An unknown token, or one of another kind, is answered with session-expired", () =>
    Effect.gen(function* () {
      const { accessToken, refreshToken } = yield* signIn(9)
      const unknown = [
        `ppw_${"0".repeat(43)}`,
        "ppw_",
        "x",
        `${refreshToken}0`,
        refreshToken.slice(4),
        refreshToken.replace("ppw_", "ppe_"),
        ` ${refreshToken}`,
        accessToken.slice(0, 200),
        "☃",
        "0".repeat(200)
      ]
      const answers = yield* Effect.forEach(unknown, sendRefresh)
      for (const answer of answers) assertProblem(answer, 401, "session-expired")
      assert.strictEqual(new Set(answers.map(({ text }) => text)).size, 1)
      yield* refreshed(refreshToken)
    })
  )

  it.effect("A malformed body is answered with 422", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const send = (body: unknown) => client.send("POST", "/api/v1/auth/refresh", { body })
      assert.deepStrictEqual(fieldCodes(yield* send({})), [["refreshToken", "required"]])
      assert.deepStrictEqual(fieldCodes(yield* send({ refreshToken: null })), [["refreshToken", "invalid"]])
      assert.deepStrictEqual(fieldCodes(yield* send({ refreshToken: 7 })), [["refreshToken", "invalid"]])
      assert.deepStrictEqual(fieldCodes(yield* send({ refreshToken: "" })), [["refreshToken", "too_short"]])
      assert.deepStrictEqual(fieldCodes(yield* send({ refreshToken: "0".repeat(201) })), [
        ["refreshToken", "too_long"]
      ])
      assert.deepStrictEqual(fieldCodes(yield* send({ refreshToken: "x", scope: "all" })), [
        ["scope", "unknown"]
      ])
      assertProblem(yield* send("{"), 400, "malformed-json")
    })
  )

  it.effect("The database stores neither token, only a sealed pair", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { refreshToken } = yield* signIn(10)
      const pair = yield* refreshed(refreshToken)
      const rows = yield* sql<{ readonly row: string }>`select encode(sealed_replacement, 'escape') as row
        from refresh_tokens where sealed_replacement is not null`
      assert.isNotEmpty(rows)
      for (const { row } of rows) {
        assert.notInclude(row, pair.refreshToken.slice(4))
        assert.notInclude(row, "accessToken")
      }
    })
  )
})
