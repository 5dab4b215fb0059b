import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commenterOf } from "../../support/actors/commenter.ts"
import { act, clean, signInAs, site, windowOf } from "./site.ts"

describe("comments and notifications on the desk in a real browser", () => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with a script" : "without one"
    it.live(`An author answers a comment, turns a mail off and marks everything read, ${how}`, () =>
      Effect.gen(function* () {
        const press = yield* site(`test_services_talking_${String(javaScriptEnabled)}`)
        const { client, free, overWire } = press
        const bob = yield* overWire(commenterOf(2))
        const said = yield* overWire(bob.say(free.id, "How many pennies make a pound?\nAnd why?"))
        yield* overWire(bob.say(free.id, "Spam"))
        const tab = yield* windowOf(press, { javaScriptEnabled, viewport: { width: 320, height: 700 } })
        const { page } = tab
        const check = (name: string) => (javaScriptEnabled ? clean(tab, name) : Effect.void)
        const button = (name: string | RegExp) =>
          act(() => page.getByRole("button", { name }).first().click())
        /** The message is read first. */
        const told = (text: string) =>
          Effect.gen(function* () {
            yield* act(() => page.locator("#outcome", { hasText: text }).waitFor())
            assert.strictEqual(yield* act(() => page.locator(":focus").getAttribute("id")), "outcome", text)
            yield* check(text)
          })

        yield* signInAs(page, 1, "/desk")
        yield* act(() => page.getByRole("navigation", { name: "Desk" }).getByText("Comments").click())
        yield* check("comments")
        const question = page.getByRole("article").filter({ hasText: "How many pennies" })
        yield* act(() => question.getByText("Reply", { exact: false }).first().click())
        yield* act(() => question.getByLabel("Your reply").fill("240, once."))
        if (javaScriptEnabled)
          yield* act(() =>
            page.evaluate('document.querySelectorAll("details").forEach((it) => { it.open = true })')
          )
        yield* check("comments with open forms")
        yield* act(() => question.getByRole("button", { name: "Post reply" }).click())
        yield* told("Your reply is public.")
        const spam = page.getByRole("article").filter({ hasText: "Spam" })
        yield* act(() => spam.getByText("More", { exact: false }).first().click())
        yield* act(() => spam.getByText("Delete", { exact: false }).first().click())
        yield* act(() => spam.getByRole("button", { name: "Delete comment" }).click())
        yield* told("The comment was deleted.")
        const { body } = yield* client.send("GET", `/api/posts/${free.id}/comments`)
        assert.deepStrictEqual(
          body.map(({ content }: { content: string | null }) => content),
          [said.content, null, "240, once."]
        )

        yield* act(() => page.getByRole("link", { name: "All", exact: true }).click())
        yield* check("all comments")
        const more = act(() => page.getByText("More", { exact: false }).first().click())
        yield* more
        yield* act(() => page.getByText("Close comments").first().click())
        yield* button("Close comments on this post")
        yield* told("Comments on that post are closed")
        yield* more
        yield* act(() => page.getByText("Open comments").first().click())
        yield* button("Open comments on this post")
        yield* told("Readers can see and write comments on that post again.")

        yield* act(() => page.getByRole("navigation", { name: "Desk" }).getByText("Notifications").click())
        yield* check("notifications")
        if (javaScriptEnabled)
          yield* act(() =>
            page.getByRole("button", { name: "Mark these as read" }).waitFor({ state: "hidden" })
          )
        else {
          yield* button("Mark these as read")
          yield* told("Marked as read.")
        }
        yield* act(() => page.goto("/desk/notifications?all"))
        yield* act(() => page.getByText("All 2", { exact: true }).click())
        yield* act(() =>
          page
            .getByRole("link", { name: /commented on “On pennies”/ })
            .first()
            .click()
        )
        yield* act(() => page.waitForURL(/\/comments\?thread=[\w-]+#c-[\w-]+$/))
        yield* act(() => page.goto("/desk/notifications?all"))
        yield* button(/^Mute/)
        yield* told("Muted.")
        yield* act(() => page.goto("/desk/notifications"))
        // Read ones stay for an hour, and there is nothing to mark.
        assert.include(yield* act(() => page.innerText("main")), "on “On pennies”")
        assert.notInclude(yield* act(() => page.innerText("main")), "Mark these as read")
        yield* act(() => page.getByRole("link", { name: "All", exact: true }).click())
        yield* check("all notifications")
        yield* act(() => page.getByRole("link", { name: "Settings", exact: true }).click())
        yield* check("settings")
        const mails = page.getByRole("group", { name: "Email me about" })
        yield* act(() => mails.getByLabel("Comments on your posts").uncheck())
        yield* button("Save")
        yield* told("Your choices are saved.")
        const { body: chosen } = yield* client.send("GET", "/api/v1/notification-preferences", {
          token: press.author.accessToken
        })
        assert.isFalse(chosen.notify_new_comment)
        assert.isTrue(chosen.notify_new_comment_inapp)
      })
    )
  }
})
