import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { admin } from "../../bin/administered.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { act, clean, signInAs, site, windowOf } from "./site.ts"

describe("moderation in a real browser", () => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with a script" : "without one"
    it.live(`A moderator finds a report, hides the comment and sees that in the log, ${how}`, () =>
      Effect.gen(function* () {
        const name = `test_services_moderating_${String(javaScriptEnabled)}`
        const press = yield* site(name, { ADMIN_TOKEN })
        const { author, client, free, origin, overWire, sql } = press
        const talker = yield* overWire(commenterOf(2))
        const comment = yield* overWire(talker.say(free.id, `Buy ${"W".repeat(120)} now`))
        const reported = yield* client.send("POST", `/api/v1/comments/${comment.id}/reports`, {
          token: author.accessToken,
          headers: { "idempotency-key": "report" },
          body: { reason: `An advert ${"w".repeat(120)}` }
        })
        assert.strictEqual(reported.status, 201, reported.text)
        // A reader without an account reports it, too.
        const stranger = yield* windowOf(press, { javaScriptEnabled, viewport: { width: 320, height: 700 } })
        yield* act(() => stranger.page.goto(`${free.path}/comments`))
        yield* act(() => stranger.page.getByRole("link", { name: /^Report the comment by/ }).click())
        if (javaScriptEnabled) yield* clean(stranger, "a report form")
        yield* act(() => stranger.page.getByLabel("Reason", { exact: true }).fill("It sells watches"))
        yield* act(() => stranger.page.getByLabel("Your email address").fill("ann@example.org"))
        yield* act(() => stranger.page.getByRole("button", { name: "Send report" }).click())
        yield* act(() => stranger.page.getByText("Our moderators will look into it.").waitFor())
        const moderator = yield* overWire(commenterOf(3))
        const env = { ADMIN_TOKEN, PUBLIC_BASE_URL: origin }
        const added = yield* admin(["moderators", "add", moderator.handle, "--reason", "Nights"], env)
        assert.include(added.written, `${moderator.handle} (`)
        assert.include(added.written, "is a moderator")

        const viewport = { width: 320, height: 700 }
        const tab = yield* windowOf(press, { javaScriptEnabled, viewport })
        const { page } = tab
        const check = (of: string) => (javaScriptEnabled ? clean(tab, of) : Effect.void)
        yield* signInAs(page, 3, "/desk")
        yield* act(() => page.getByRole("link", { name: "Moderate", exact: true }).click())
        yield* check("reports")
        yield* act(() => page.getByRole("link", { name: "ann@example.org" }).waitFor())
        if (javaScriptEnabled) {
          yield* act(() => page.keyboard.press("j"))
          yield* act(() => page.keyboard.press("Enter"))
        } else yield* act(() => page.getByRole("link", { name: /^Comment by/ }).click())
        yield* act(() => page.getByRole("button", { name: "Hide the comment" }).waitFor())
        yield* check("a report")
        yield* act(() => page.getByLabel("Sentence for the author").fill("It advertises a shop"))
        if (javaScriptEnabled) {
          // Keys act outside of fields alone, and a decision waits for its reason.
          yield* act(() => page.keyboard.type("2"))
          yield* act(() => page.keyboard.press("Backspace"))
          yield* act(() => page.getByRole("article").focus())
          yield* act(() => page.keyboard.press("2"))
          assert.strictEqual(yield* act(() => page.locator(":focus").getAttribute("id")), "reason")
          yield* act(() => page.keyboard.type("An advert, not a comment"))
          yield* act(() => page.keyboard.press("Control+Enter"))
        } else {
          yield* act(() => page.getByLabel("Reason", { exact: true }).fill("An advert, not a comment"))
          yield* act(() => page.getByRole("button", { name: "Hide the comment" }).click())
        }
        yield* act(() => page.locator("#outcome", { hasText: "Done." }).waitFor())
        assert.strictEqual(yield* act(() => page.locator(":focus").getAttribute("id")), "outcome")
        yield* check("a decision")
        yield* act(() => page.getByRole("link", { name: "Log", exact: true }).click())
        assert.include(yield* act(() => page.innerText("main")), "hid a comment")
        assert.include(yield* act(() => page.innerText("main")), "An advert, not a comment")
        yield* check("the log")
        const hidden = yield* sql`select from public_comments where id = ${comment.id}`
        assert.lengthOf(hidden, 0)
        const told = yield* windowOf(press, { javaScriptEnabled, viewport })
        yield* signInAs(told.page, 2, "/desk/notifications")
        assert.include(yield* act(() => told.page.innerText("main")), "It advertises a shop")
        assert.notInclude(yield* act(() => told.page.innerText("main")), "An advert, not a comment")
        if (javaScriptEnabled) yield* clean(told, "a decision as its author reads it")

        yield* sql`
          insert into upload_operations (id, owner_id, target_kind, target_id, target_key, generation, request_key, created_at,
            state, next_task, due_at, policy_version, staged_bytes, held)
          select gen_random_uuid(), id, 'avatar', id, '', 1, 'x', timestamptz '2026-01-01Z', 'receiving', 'expire',
            timestamptz '2100-01-01Z', '1', 0, true from owners where handle = ${talker.handle}`
        for (const [link, has] of [
          ["Uploads", "receiving, held"],
          ["Health", "Uploads held or late"],
          ["Accounts", "Accounts"]
        ] as const) {
          yield* act(() => page.getByRole("link", { name: link, exact: true }).click())
          assert.include(yield* act(() => page.innerText("main")), has)
          for (const summary of yield* act(() => page.locator("summary").all()))
            yield* act(() => summary.click())
          yield* check(link)
        }
        yield* act(() => page.getByLabel("Handle").fill(talker.handle))
        yield* act(() => page.getByRole("button", { name: "Find" }).click())
        yield* act(() => page.getByLabel("Reason", { exact: true }).fill("Adverts"))
        yield* act(() => page.getByRole("button", { name: "Restrict the account…" }).click())
        yield* act(() => page.getByText("Readers see nothing of this account now.").waitFor())
        yield* check("a question")
        assert.strictEqual(
          yield* act(() => page.getByLabel("Reason", { exact: true }).inputValue()),
          "Adverts"
        )
        yield* act(() => page.getByRole("button", { name: `Restrict @${talker.handle}` }).click())
        yield* act(() => page.locator("#outcome", { hasText: "You restricted the account" }).waitFor())
        yield* check("an account")

        const removed = yield* admin(["moderators", "remove", moderator.handle, "--reason", "Left"], env)
        assert.include(removed.written, "is not a moderator")
        const gone = yield* act(() => page.reload())
        assert.strictEqual(gone?.status(), 404)
      })
    )
  }
})
