import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { aheadText, localOf, readLocal, ZONES, zonedText } from "../../../src/web/publish/localTime.ts"

const momentOf = (when: string, zone: string, fold?: "first" | "second") => {
  const read = readLocal(when, zone, fold)
  return read._tag === "Moment" ? DateTime.formatIso(read.moment) : read._tag
}

/** Zones with a time that does not exist, and one that comes twice with both of its moments. */
const CHANGES = [
  ["Europe/Berlin", "2027-03-28T02:30", "2026-10-25T02:30", "2026-10-25T00:30", "2026-10-25T01:30"],
  ["America/New_York", "2027-03-14T02:30", "2026-11-01T01:30", "2026-11-01T05:30", "2026-11-01T06:30"],
  ["Australia/Lord_Howe", "2026-10-04T02:15", "2027-04-04T01:45", "2027-04-03T14:45", "2027-04-03T15:15"],
  ["America/Santiago", "2026-09-06T00:30", "2027-04-03T23:30", "2027-04-04T02:30", "2027-04-04T03:30"],
  ["Africa/Cairo", "2026-04-24T00:30", "2026-10-29T23:30", "2026-10-29T20:30", "2026-10-29T21:30"]
] as const

describe("times of a zone", () => {
  it("A time of a day is a moment in its zone, at the ends of months and years too", () => {
    assert.strictEqual(momentOf("2026-11-30T09:00", "Europe/Berlin"), "2026-11-30T08:00:00.000Z")
    assert.strictEqual(momentOf("2026-12-31T23:59", "America/New_York"), "2027-01-01T04:59:00.000Z")
    assert.strictEqual(momentOf("2028-02-29T00:00", "Asia/Kathmandu"), "2028-02-28T18:15:00.000Z")
    assert.strictEqual(momentOf("2026-11-30T09:00:00", "UTC"), "2026-11-30T09:00:00.000Z")
  })

  it.each(CHANGES)(
    "Where clocks of %s change, a time is refused or asked about",
    (zone, gap, twice, ...both) => {
      assert.strictEqual(momentOf(gap, zone), "Gap")
      assert.strictEqual(momentOf(gap, zone, "first"), "Gap")
      assert.strictEqual(momentOf(gap, zone, "second"), "Gap")
      assert.strictEqual(momentOf(twice, zone), "Twice")
      assert.deepStrictEqual(
        [momentOf(twice, zone, "first"), momentOf(twice, zone, "second")],
        both.map((it) => `${it}:00.000Z`)
      )
    }
  )

  it("Text that is no day, no time or no zone is unreadable", () => {
    for (const when of [
      "",
      "tomorrow",
      "2026-02-30T09:00",
      "2026-11-30T25:00",
      "2026-11-30",
      "2026-11-30T09:00Z"
    ])
      assert.strictEqual(momentOf(when, "UTC"), "Unreadable", when)
    for (const zone of ["", "Mars/Olympus", "<b>", "Europe/Berlin/x"])
      assert.strictEqual(momentOf("2026-11-30T09:00", zone), "Unreadable", zone)
  })

  it("Every zone of the list reads what it shows", () => {
    const moment = "2026-11-30T08:00:00.000Z"
    for (const zone of ZONES) assert.strictEqual(momentOf(localOf(moment, zone), zone), moment, zone)
  })

  it("A moment is said with its place, its offset and the time until then", () => {
    const moment = "2026-11-30T08:00:00.123456Z"
    assert.strictEqual(zonedText(moment, "Europe/Berlin"), "Mon 30 Nov 2026, 09:00 (Berlin, UTC+1)")
    assert.strictEqual(zonedText(moment, "UTC"), "Mon 30 Nov 2026, 08:00 (UTC)")
    assert.strictEqual(zonedText(moment, "Asia/Kolkata"), "Mon 30 Nov 2026, 13:30 (Kolkata, UTC+5:30)")
    const ahead = (at: string) => aheadText(moment, "UTC", new Date(at)).replace(/^.*\), /, "")
    assert.strictEqual(ahead("2026-11-27T08:00:00Z"), "in 3 days")
    assert.strictEqual(ahead("2026-11-29T10:00:00Z"), "in 22 hours")
    assert.strictEqual(ahead("2026-11-30T07:10:00Z"), "in 50 minutes")
    assert.strictEqual(ahead("2026-11-30T07:59:30Z"), "in a moment")
  })
})
