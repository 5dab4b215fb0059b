import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { poll } from "../../../layers/time/poll.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { act, clean, signInAs, site, windowOf } from "./site.ts"

/** The latest that a scheduled post may be, in milliseconds. */
const LATE_MILLIS = 5_000

/** Returns a day in a number of days, at nine o'clock, as the field of a browser takes it. */
const nineIn = (days: number) =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T09:00`

describe("publishing later in a real browser", () => {
  it.live("An author schedules a post, moves it and cancels that, with a script and without", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_scheduling")
      const { author, free, overWire, sql } = press
      yield* sql`
        insert into subscribers (id, author_id, address, mailbox, state, created_at, asked_at, ask_id, confirmed_at)
        select gen_random_uuid(), owner_id, 'reader@example.org', 'reader@example.org', 'active', created_at, created_at,
          gen_random_uuid(), created_at
        from posts where id = ${free.id}`
      for (const options of [
        { viewport: { width: 320, height: 640 }, timezoneId: "Europe/Berlin" },
        { javaScriptEnabled: false }
      ]) {
        const hasScript = !("javaScriptEnabled" in options)
        const { id } = yield* overWire(author.draft({ title: "On two pennies" }))
        const tab = yield* windowOf(press, options)
        const { page } = tab
        const button = (name: string) => act(() => page.getByRole("button", { name, exact: true }).click())
        const choose = (day: string) => act(() => page.getByLabel("Day and time").fill(day))
        yield* signInAs(page, 1, `/write/${id}/publish`)
        yield* act(() => page.getByText("Publish later", { exact: true }).click())
        const zone = hasScript ? "Europe/Berlin" : "UTC"
        assert.strictEqual(yield* act(() => page.getByLabel("Time zone").inputValue()), zone)
        yield* choose(nineIn(3))
        const unmailed = page.getByLabel("Don't email it to my readers")
        yield* act(() => unmailed.check())
        yield* button("Schedule")
        const state = page.locator("#schedule")
        yield* act(() => state.waitFor())
        const said = () => act(() => state.innerText())
        assert.include(yield* said(), hasScript ? "09:00 (Berlin, UTC+" : "09:00 (UTC), in ")
        assert.isTrue(yield* act(() => unmailed.isChecked()))
        assert.isFalse((yield* overWire(author.read(id))).body.mailReaders)
        if (hasScript) yield* clean(tab, "a scheduled post")

        // Another visit does not know the zone without its script.
        yield* act(() => page.goto(`/write/${id}/publish`))
        assert.include(yield* said(), hasScript ? "(Berlin, UTC+" : "(UTC)")
        assert.strictEqual(yield* act(() => page.getByLabel("Day and time").inputValue()), nineIn(3))
        yield* choose(nineIn(5))
        yield* button("Change the time")
        yield* act(() => page.getByText("Your post is scheduled.").waitFor())
        assert.include(yield* said(), "09:00")

        yield* act(() => page.goto(`/write/${id}`))
        yield* act(() => page.getByText("saves only when you press Save draft").waitFor())
        yield* act(() => page.goto(`/write/${id}/publish`))
        yield* button("Cancel")
        yield* act(() => page.getByText("isn't scheduled any more").waitFor())
        assert.isFalse(yield* act(() => state.isVisible()))
      }

      // The process publishes by itself.
      const { id, slug } = yield* overWire(author.draft({ title: "On three pennies" }))
      const publishAt = Date.now() + 2_000
      const saved = yield* overWire(
        author.send("PUT", `/${id}/schedule`, { body: { publishAt: new Date(publishAt).toISOString() } })
      )
      assert.strictEqual(saved.status, 200, saved.text)
      const published = yield* poll(
        Effect.map(overWire(author.read(id)), ({ body }) =>
          body.publishedAt === null ? Option.none() : Option.some(Date.parse(body.publishedAt))
        ),
        20_000
      ).pipe(Effect.map(Option.getOrThrow), onRealClock)
      assert.isAtLeast(published, publishAt)
      assert.isBelow(published - publishAt, LATE_MILLIS)
      const tab = yield* windowOf(press)
      yield* act(() => tab.page.goto(`/@${author.handle}/${slug}`))
      yield* act(() => tab.page.getByRole("heading", { name: "On three pennies" }).first().waitFor())
    })
  )
})
