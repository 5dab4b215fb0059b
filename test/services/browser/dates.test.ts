import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { act, clean, site, windowOf } from "./site.ts"

const HOUR = 3_600_000
const DAY = 24 * HOUR

const inEnglish = (at: Date, options: Intl.DateTimeFormatOptions) =>
  at.toLocaleDateString("en", { timeZone: "UTC", ...options })

describe("dates in a real browser", () => {
  it.live("A date is relative for a week and then without the year, and the whole day stays with it", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_dates")
      const plain = yield* windowOf(press, { javaScriptEnabled: false })
      yield* act(() => plain.page.goto(press.free.path))
      const time = "time.dt-published"
      const at = new Date((yield* act(() => plain.page.getAttribute(time, "datetime")))!)
      const whole = inEnglish(at, { dateStyle: "long" })
      assert.strictEqual(yield* act(() => plain.page.innerText(time)), whole)

      const tab = yield* windowOf(press)
      const { page } = tab
      const later = new Date(at.getTime() + 8 * DAY)
      const isSameYear = later.getUTCFullYear() === at.getUTCFullYear()
      for (const [millis, said] of [
        [-HOUR, whole],
        [10_000, "1 minute ago"],
        [59 * 60_000, "59 minutes ago"],
        [2 * HOUR + 1, "2 hours ago"],
        [6 * DAY + 1, "6 days ago"],
        [8 * DAY, isSameYear ? inEnglish(at, { day: "numeric", month: "long" }) : whole],
        [400 * DAY, whole]
      ] as const) {
        yield* act(() => page.clock.setFixedTime(at.getTime() + millis))
        yield* act(() => page.goto(press.free.path))
        assert.strictEqual(yield* act(() => page.innerText(time)), said, String(millis))
        if (said !== whole) assert.strictEqual(yield* act(() => page.getAttribute(time, "title")), whole)
      }
      yield* act(() => page.clock.setFixedTime(at.getTime() + 2 * HOUR))
      yield* act(() => page.goto("/"))
      assert.strictEqual(yield* act(() => page.locator(".card time").first().innerText()), "2 hours ago")
      yield* clean(tab, "home with relative dates")
      assert.deepStrictEqual(tab.errors, [])
    })
  )
})
