import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { keysOf } from "../../accounts/api-keys/keys.ts"
import { inSeconds, publishAllDue } from "../../publishing/posts/schedules/scheduling.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { deskAuthor, hiddenOf, written } from "../desk/author.ts"
import { authorOf, draftOf, pageOf } from "../write/author.ts"

layer(service(database("test_web_later")))("Publishing later in a browser", (it) => {
  it.effect(
    "An author schedules a draft, moves it, and cancels that, and readers see it at its time alone",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-11-27T08:00:00Z"))
        const reader = yield* authorOf(1)
        const path = yield* draftOf(reader)
        const page = `${path}/publish`
        const schedule = (fields: Readonly<Record<string, string>>) =>
          Effect.flatMap(pageOf(reader, page), (text) =>
            reader.post(`${path}/schedule`, { ...hiddenOf(text), act: "later", ...fields })
          )
        const sent = yield* schedule({ when: "2026-11-30T09:00", zone: "Europe/Berlin" })
        assert.strictEqual(sent.status, 303, sent.text)
        const there = yield* pageOf(reader, sent.headers.get("location") ?? "")
        assert.include(there, "Your post is scheduled.")
        assert.include(there, "Mon 30 Nov 2026, 09:00 (Berlin, UTC+1), in 3 days")
        assert.include(there, 'value="2026-11-30T09:00"')
        // A visit without the zone of a browser.
        assert.include(yield* pageOf(reader, page), "Mon 30 Nov 2026, 08:00 (UTC), in 3 days")
        assert.include(yield* pageOf(reader, "/desk"), "Scheduled for Mon 30 Nov 2026, 08:00 (UTC)")
        assert.include(yield* pageOf(reader, "/desk/posts"), "Scheduled for Mon 30 Nov 2026, 08:00 (UTC)")
        const sheet = yield* pageOf(reader, path)
        assert.include(sheet, "so it saves only when you press Save draft")
        assert.match(sheet, /name="scheduled" value="1"/)
        assert.include(yield* pageOf(reader, "/desk/account"), "1 scheduled post ends with it")

        const moved = yield* schedule({ when: "2026-12-01T09:00", zone: "Europe/Berlin" })
        assert.strictEqual(moved.status, 303, moved.text)
        const cancelled = yield* reader.post(`${path}/schedule`, { act: "cancel" })
        assert.strictEqual(cancelled.headers.get("location"), `${page}?done=cancel`)
        assert.notInclude(yield* pageOf(reader, page), 'id="schedule"')
        assert.notMatch(yield* pageOf(reader, path), /name="scheduled"/)

        yield* schedule({ when: "2026-11-27T08:01", zone: "UTC" })
        const stranger = yield* browser
        const post = "/@writer_1/nine-degrees-from-upright"
        yield* TestClock.adjust("59 seconds")
        yield* publishAllDue
        for (const path of [post, `${post}.md`]) assert.strictEqual((yield* stranger.get(path)).status, 404)
        for (const list of [
          "/",
          "/@writer_1",
          "/feed.atom",
          "/@writer_1/feed.atom",
          "/search?q=degrees",
          "/sitemap.xml"
        ]) {
          const { text } = yield* stranger.get(list)
          assert.notInclude(text, "nine-degrees", list)
          assert.notInclude(text, "Nine degrees", list)
        }
        yield* TestClock.adjust("1 second")
        yield* publishAllDue
        assert.strictEqual((yield* stranger.get(post)).status, 200)
        assert.include((yield* stranger.get("/@writer_1")).text, "Nine degrees")
      })
  )

  it.effect(
    "A field names the reason for which its time is refused: it is past, comes twice or does not exist",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.parse("2026-10-20T08:00:00Z"))
        const reader = yield* authorOf(2)
        const path = yield* draftOf(reader)
        const schedule = Effect.fnUntraced(function* (fields: Readonly<Record<string, string>>) {
          const form = hiddenOf(yield* pageOf(reader, `${path}/publish`))
          return yield* reader.post(`${path}/schedule`, {
            ...form,
            act: "later",
            zone: "Europe/Berlin",
            ...fields
          })
        })
        const gap = yield* schedule({ when: "2027-03-28T02:30" })
        assert.strictEqual(gap.status, 422)
        assert.include(gap.text, "there is no 02:30 on that day")
        assert.include(gap.text, 'value="2027-03-28T02:30"')
        const past = yield* schedule({ when: "2026-10-20T09:00" })
        assert.include(past.text, "That time is past.")
        assert.strictEqual((yield* schedule({ when: "2028-10-20T09:00" })).status, 422)
        const wrong = yield* schedule({ when: "", zone: "<b>" })
        assert.include(wrong.text, "Choose a day, a time and a time zone.")
        const twice = yield* schedule({ when: "2026-10-25T02:30" })
        assert.strictEqual(twice.status, 422)
        assert.include(twice.text, "The second 02:30")
        const second = yield* schedule({ when: "2026-10-25T02:30", fold: "second" })
        assert.strictEqual(second.status, 303, second.text)
        assert.include(yield* pageOf(reader, `${path}/publish`), "Sun 25 Oct 2026, 01:30 (UTC)")
      })
  )

  it.effect("A time that comes twice and a part that becomes free are each asked about once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-10-20T08:00:00Z"))
      const reader = yield* authorOf(4)
      const { sell: _sell, ...free } = written
      const path = yield* draftOf(reader, free)
      const form = hiddenOf(yield* pageOf(reader, `${path}/publish`))
      const moment = { act: "later", zone: "Europe/Berlin", when: "2026-10-25T02:30" }
      const twice = yield* reader.post(`${path}/schedule`, { ...form, ...moment })
      assert.strictEqual(twice.status, 422)
      const freed = yield* reader.post(`${path}/schedule`, {
        ...hiddenOf(twice.text),
        ...moment,
        fold: "second"
      })
      assert.strictEqual(freed.status, 422)
      assert.include(freed.text, "Press again to schedule it.")
      assert.match(freed.text, /value="second" checked/)
      assert.include(freed.text, 'name="_free"')
      const saved = yield* reader.post(`${path}/schedule`, {
        ...hiddenOf(freed.text),
        ...moment,
        fold: "second",
        _free: "yes"
      })
      assert.strictEqual(saved.status, 303, saved.text)
    })
  )

  it.effect("A moment that is changed keeps that the post is published unchanged alone", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-27T08:00:00Z"))
      const { reader, token } = yield* deskAuthor(5)
      const client = yield* TestClient
      const { key } = yield* (yield* keysOf(token)).issued()
      const path = yield* draftOf(reader)
      const post = `/api/v1/posts/${path.slice("/write/".length)}`
      const body = { publishAt: yield* inSeconds(60), onlyRevision: true }
      assert.strictEqual((yield* client.send("PUT", `${post}/schedule`, { token: key, body })).status, 200)
      const form = hiddenOf(yield* pageOf(reader, `${path}/publish`))
      const moved = yield* reader.post(`${path}/schedule`, {
        ...form,
        act: "later",
        when: "2026-11-27T09:00",
        zone: "UTC"
      })
      assert.strictEqual(moved.status, 303, moved.text)
      const { schedule } = (yield* client.send("GET", post, { token: key })).body
      assert.deepInclude(schedule, { state: "waiting", onlyRevision: true })
    })
  )

  it.effect("A scheduled post stops being sold at the second press", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-27T08:00:00Z"))
      const reader = yield* authorOf(6)
      const path = yield* draftOf(reader)
      const page = `${path}/publish`
      const moment = { when: "2026-11-27T09:00", zone: "UTC" }
      const form = hiddenOf(yield* pageOf(reader, page))
      yield* reader.post(`${path}/schedule`, { ...form, act: "later", ...moment })
      const save = { ...hiddenOf(yield* pageOf(reader, page)), sell: "0", act: "save" }
      const first = yield* reader.post(page, save)
      assert.strictEqual(first.status, 422)
      assert.include(first.text, "Press again to save it.")
      assert.strictEqual((yield* reader.post(page, { ...save, _free: "yes" })).status, 303)
    })
  )

  it.effect("A cancel that comes after the publication shows the post that is public", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-27T08:00:00Z"))
      const reader = yield* authorOf(7)
      const path = yield* draftOf(reader)
      const form = hiddenOf(yield* pageOf(reader, `${path}/publish`))
      const moment = { when: "2026-11-27T08:01", zone: "UTC" }
      yield* reader.post(`${path}/schedule`, { ...form, act: "later", ...moment })
      yield* TestClock.adjust("60 seconds")
      yield* publishAllDue
      const late = yield* reader.post(`${path}/schedule`, { act: "cancel" })
      assert.strictEqual(late.headers.get("location"), `${path}/publish?done=publish`)
    })
  )

  it.effect("A post that was not published says why, on its page and on the desk", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-12-01T08:00:00Z"))
      const reader = yield* authorOf(3)
      const path = yield* draftOf(reader)
      const form = hiddenOf(yield* pageOf(reader, `${path}/publish`))
      yield* reader.post(`${path}/schedule`, { ...form, act: "later", when: "2026-12-01T09:00", zone: "UTC" })
      yield* TestClock.adjust("3 days")
      yield* publishAllDue
      const why = "this site was out of order for more than a day"
      assert.include(yield* pageOf(reader, `${path}/publish`), why)
      assert.include(yield* pageOf(reader, "/desk/posts"), why)
      const news = yield* pageOf(reader, "/desk/notifications?all")
      assert.match(news, /wasn.{1,6}t published at the time that you chose/)
      assert.include(news, `${path}/publish`)
    })
  )
})
