import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { KeyRequest } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertProblem, fieldCodes } from "../sessions/flows.ts"
import { keysOf } from "./keys.ts"

layer(service(database("test_key_request")))("the key request (4.1 note C, 5)", (it) => {
  const owner = (number: number) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const keys = yield* keysOf((yield* signIn(number)).accessToken)
      /** Issues a key and revokes it at once, so that the limit of keys is never reached. */
      const metadataOf = Effect.fnUntraced(function* (request: typeof KeyRequest.Encoded) {
        const { apiKey } = yield* keys.issued(request)
        yield* keys.revoke(apiKey.keyId)
        return apiKey
      })
      const refused = (request: unknown) => Effect.map(keys.issue(request), fieldCodes)
      return { ...keys, metadataOf, refused }
    })

  it.effect("A label has 1 to 80 characters after trimming, or is null", () =>
    Effect.gen(function* () {
      const { metadataOf, refused } = yield* owner(1)
      const kept = {
        a: "a",
        "  laptop\n": "laptop",
        [" ".repeat(90) + "a"]: "a",
        ["é".repeat(80)]: "é".repeat(80)
      }
      for (const [label, saved] of Object.entries(kept)) {
        assert.strictEqual((yield* metadataOf({ label })).label, saved)
      }
      // The limit counts characters, not UTF-16 units.
      assert.strictEqual((yield* metadataOf({ label: "🪙".repeat(80) })).label, "🪙".repeat(80))
      assert.isNull((yield* metadataOf({ label: null })).label)
      for (const label of ["", "   ", "\n"])
        assert.deepStrictEqual(yield* refused({ label }), [["label", "too_short"]])
      for (const label of ["a".repeat(81), "🪙".repeat(81)]) {
        assert.deepStrictEqual(yield* refused({ label }), [["label", "too_long"]])
      }
      for (const label of [7, true, {}, ["a"], "a\u0000b", "\ud800"]) {
        assert.deepStrictEqual(yield* refused({ label }), [["label", "invalid"]])
      }
    })
  )

  it.effect("An expiry must be in the future, by at least a millisecond", () =>
    Effect.gen(function* () {
      const { metadataOf, refused } = yield* owner(2)
      const past = [
        "2026-11-21T05:00:00Z",
        "2026-11-21T06:00:00+01:00",
        "2026-11-21T04:59:59.999Z",
        "0001-01-01T00:00:00Z"
      ]
      for (const expiresAt of past) {
        assert.deepStrictEqual(yield* refused({ expiresAt }), [["expiresAt", "out_of_range"]], expiresAt)
      }
      const future = {
        "2026-11-21T05:00:00.001Z": "2026-11-21T05:00:00.001000Z",
        "2026-11-21T05:30:00+00:15": "2026-11-21T05:15:00.000000Z",
        "2026-11-21T05:00:00.001001Z": "2026-11-21T05:00:00.001001Z",
        "2026-11-21T06:00:00.1234560+00:30": "2026-11-21T05:30:00.123456Z",
        "9999-12-31T23:59:59.999999Z": "9999-12-31T23:59:59.999999Z",
        "9999-12-31T23:59:59.999999000Z": "9999-12-31T23:59:59.999999Z",
        "9999-12-31T23:59:59Z": "9999-12-31T23:59:59.000000Z"
      }
      for (const [expiresAt, saved] of Object.entries(future)) {
        assert.strictEqual((yield* metadataOf({ expiresAt })).expiresAt, saved)
      }
      assert.isNull((yield* metadataOf({ expiresAt: null })).expiresAt)
    })
  )

  it.effect("An expiry is a date-time of RFC 3339 on an existing day", () =>
    Effect.gen(function* () {
      const { refused } = yield* owner(3)
      const malformed = [
        "",
        "tomorrow",
        "2027-01-01",
        "2027-01-01T00:00:00",
        "2027-01-01 00:00:00Z",
        "2027-13-01T00:00:00Z",
        "2027-01-32T00:00:00Z",
        "2027-02-29T00:00:00Z",
        "2027-04-31T00:00:00Z",
        "2027-01-01T25:00:00Z",
        "2027-01-01T24:00:00Z",
        "2027-01-01T00:60:00Z",
        "2027-01-01T00:00:00+24:00",
        "2027-01-01T00:00:00+00:60",
        "20270-01-01T00:00:00Z",
        "9999-12-31T23:59:59-01:00",
        // The service keeps a time to the microsecond or refuses it.
        "9999-12-31T23:59:59.999999999Z",
        "2027-01-01T00:00:00.0000001Z"
      ]
      for (const expiresAt of [...malformed, 1_800_000_000, true, {}]) {
        assert.deepStrictEqual(yield* refused({ expiresAt }), [["expiresAt", "invalid"]], String(expiresAt))
      }
    })
  )

  it.effect("Unknown members are rejected, and every problem is named", () =>
    Effect.gen(function* () {
      const { list, refused } = yield* owner(4)
      assert.deepStrictEqual(yield* refused({ scope: "everything" }), [["scope", "unknown"]])
      const all = yield* refused({ label: "", expiresAt: "soon", scope: "everything" })
      assert.sameDeepMembers(all, [
        ["label", "too_short"],
        ["expiresAt", "invalid"],
        ["scope", "unknown"]
      ])
      for (const body of [[], "text", 7, null]) {
        assert.lengthOf(yield* refused(JSON.stringify(body)), 1)
      }
      assert.deepStrictEqual(yield* list, [])
    })
  )

  it.effect("A rotation is refused for the same reasons, and revokes nothing", () =>
    Effect.gen(function* () {
      const { issued, list, rotate } = yield* owner(5)
      const { apiKey } = yield* issued()
      const refused = (request: unknown) => Effect.map(rotate(apiKey.keyId, request), fieldCodes)
      assert.deepStrictEqual(yield* refused({ label: "a".repeat(81) }), [["label", "too_long"]])
      assert.deepStrictEqual(yield* refused({ expiresAt: "2026-11-21T05:00:00Z" }), [
        ["expiresAt", "out_of_range"]
      ])
      assert.deepStrictEqual(yield* refused({ keyId: apiKey.keyId }), [["keyId", "unknown"]])
      assert.deepStrictEqual(yield* list, [apiKey])
    })
  )

  it.effect("A body that is not JSON is answered with 400, and another content type with 415", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { accessToken } = yield* signIn(6)
      const send = (body: string, type: string) =>
        client.send("POST", "/api/v1/api-keys", {
          token: accessToken,
          body,
          headers: { "content-type": type }
        })
      assertProblem(yield* send("{", "application/json"), 400, "malformed-json")
      assertProblem(
        yield* send("label=a", "application/x-www-form-urlencoded"),
        415,
        "unsupported-media-type"
      )
    })
  )
})
