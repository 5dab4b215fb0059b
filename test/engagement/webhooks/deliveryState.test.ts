import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import {
  afterAttempt,
  consequenceOf,
  type Health,
  outcomeOfAnswer,
  outcomeOfFailure,
  restMillis,
  WAITS_MILLIS
} from "../../../src/engagement/webhooks/deliveryState.ts"
import { OutsideFailure } from "../../../src/platform/ports/OutsideHttp.ts"

const moment = (text: string) => DateTime.toDateUtc(DateTime.makeUnsafe(text))
const AT = moment("2026-11-26T09:00:00Z")
const HOUR = 3_600_000

const answered = (status: number, retryAfter?: string) =>
  outcomeOfAnswer({ status, retryAfter, response: undefined }, AT)

describe("the state of a delivery", () => {
  const codes = [
    [200, null],
    [204, null],
    [299, null],
    [301, "redirect"],
    [307, "redirect"],
    [400, "http_status"],
    [401, "http_status"],
    [404, "http_status"],
    [410, "gone"],
    [429, "http_status"],
    [500, "http_status"],
    [503, "http_status"]
  ] as const
  for (const [status, code] of codes)
    it(`An answer ${status} is ${code ?? "a success"}`, () => assert.strictEqual(answered(status).code, code))

  for (const [reason, code] of [
    ["address_not_public", "address_not_public"],
    ["connection", "connection"],
    ["protocol", "protocol"],
    ["timeout", "timeout"],
    ["tls", "tls"],
    ["too_large", "protocol"],
    ["redirects", "redirect"]
  ] as const)
    it(`No answer by ${reason} is ${code}`, () =>
      assert.deepInclude(outcomeOfFailure(new OutsideFailure({ reason })), { code, status: null }))

  it("Nine failures wait for 75.6 hours together, and the tenth gives up", () => {
    const waits = Array.from({ length: 10 }, (_, failures) => afterAttempt(failures, answered(500)))
    assert.deepStrictEqual(
      waits.map((next) => (next.state === "waiting" ? next.waitMillis / 1_000 : next.state)),
      [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, "failed"]
    )
    assert.closeTo(WAITS_MILLIS.reduce((sum, wait) => sum + wait, 0) / HOUR, 75.6, 0.1)
    assert.deepStrictEqual(afterAttempt(3, answered(200)), { state: "delivered" })
    assert.deepStrictEqual(afterAttempt(3, answered(410)), { state: "cancelled" })
  })

  it("Retry-After of 429 and 503 counts when it is later than the schedule, up to an hour", () => {
    const waitOf = (status: number, retryAfter: string, failures = 0) => {
      const next = afterAttempt(failures, answered(status, retryAfter))
      return next.state === "waiting" ? next.waitMillis / 1_000 : next.state
    }
    assert.deepStrictEqual(
      [
        waitOf(429, "60"),
        waitOf(503, "60"),
        waitOf(500, "60"),
        waitOf(503, "7200"),
        waitOf(503, "60", 1),
        waitOf(429, "Thu, 26 Nov 2026 09:10:00 GMT"),
        waitOf(429, "Thu, 26 Nov 2020 09:10:00 GMT"),
        waitOf(429, "-5"),
        waitOf(429, "soon")
      ],
      [60, 60, 5, 3_600, 300, 600, 5, 5, 5]
    )
  })

  it("Rests grow to half an hour, and stay", () =>
    assert.deepStrictEqual(
      [0, 1, 2, 3, 4, 5, 99].map((rests) => restMillis(rests) / 1_000),
      [5, 30, 120, 600, 1_800, 1_800, 1_800]
    ))

  it("A webhook that fails is told of once after an hour and three failures, and disabled by one that is given up", () => {
    const waiting = afterAttempt(0, answered(500))
    const failed = afterAttempt(9, answered(500))
    const health: Health = {
      failingSince: moment("2026-11-26T08:00:00Z"),
      failures: 3,
      isTold: false,
      lastSuccessAt: null
    }
    const of = (changes: Partial<Health>, next = waiting) =>
      consequenceOf({ ...health, ...changes }, next, moment("2026-11-23T05:00:00Z"), AT)
    assert.strictEqual(of({}), "tell")
    assert.isUndefined(of({ isTold: true }))
    assert.isUndefined(of({ failures: 2 }))
    assert.isUndefined(of({ failingSince: moment("2026-11-26T08:00:01Z") }))
    assert.strictEqual(of({}, failed), "failing")
    assert.strictEqual(of({ lastSuccessAt: moment("2026-11-23T04:00:00Z") }, failed), "failing")
    assert.strictEqual(of({ lastSuccessAt: moment("2026-11-23T06:00:00Z"), isTold: true }, failed), undefined)
    assert.strictEqual(of({}, afterAttempt(0, answered(410))), "gone")
  })
})
