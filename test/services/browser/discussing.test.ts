import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commenterOf } from "../../support/actors/commenter.ts"
import { eventually } from "../../support/eventually.ts"
import { act, clean, pathOf, signInAs, site, type Site, windowOf } from "./site.ts"

/** The site with a Comment of its author, and another account that is ready to comment. */
const discussed = (name: string) =>
  Effect.gen(function* () {
    const press = yield* site(name)
    yield* press.overWire(commenterOf(2))
    const comment = yield* press.overWire(press.author.say(press.free.id, "Said"))
    // A count follows its comment in a moment.
    const page = press.client.send("GET", press.free.path)
    yield* eventually(
      "the comment is counted",
      Effect.map(page, ({ text }) => text.includes("1 comment<"))
    )
    return { ...press, comment: comment.id as string }
  })

/** Returns the number of hearts as an owner sees it, whose reads are not kept. */
const heartsOf = ({ author: { accessToken: token }, client, free }: Site) =>
  Effect.map(
    client.send("GET", `/api/v1/posts/${free.id}/reactions`, { token }),
    ({ body }) => body.summary.counts.heart as number
  )

describe("discussions in a real browser", () => {
  it.live("A reaction and a follow are sent in place", () =>
    Effect.gen(function* () {
      const press = yield* discussed("test_services_in_place")
      const { free } = press
      const tab = yield* windowOf(press)
      const { page } = tab
      const heart = page.getByRole("button", { name: "Heart" })
      const follow = page.getByRole("button", { name: "Follow" })
      yield* act(() => page.goto(free.path))
      yield* signInAs(page, 2, free.path)
      yield* act(() => heart.click())
      yield* act(() => page.locator('[aria-pressed="true"]').waitFor())
      assert.strictEqual(pathOf(page), free.path)
      assert.strictEqual(yield* act(() => page.innerText("#live")), "Saved")
      assert.match(yield* act(() => heart.innerText()), /1$/)
      assert.strictEqual(yield* heartsOf(press), 1)
      yield* clean(tab, "reacted")
      yield* act(() => heart.click())
      yield* act(() => page.locator('[aria-pressed="true"]').waitFor({ state: "detached" }))
      assert.strictEqual(yield* heartsOf(press), 0)

      yield* act(() => follow.click())
      yield* act(() => page.locator('[data-state="true"][aria-pressed="true"]').waitFor())
      yield* act(() => page.getByRole("button", { name: "Following ✓" }).waitFor())
      yield* act(() => page.getByRole("link", { name: "Email me new posts" }).waitFor())
      yield* act(() => page.goto(`/@${press.author.handle}`))
      yield* act(() => follow.click())
      yield* act(() => page.locator('[aria-pressed="true"]').waitFor())
      yield* clean(tab, "followed")

      // The page says that the network is unavailable, and nothing else changes.
      yield* act(() => page.context().setOffline(true))
      yield* act(() => follow.click())
      yield* act(() => page.getByText("Not saved: you're offline.").waitFor())
      assert.strictEqual(yield* act(() => follow.getAttribute("aria-pressed")), "true")
      yield* act(() => page.context().setOffline(false))
      yield* act(() => follow.click())
      yield* act(() => page.locator('[aria-pressed="true"]').waitFor({ state: "detached" }))
    })
  )

  it.live("A refusal that has no place on the page is a page of its own", () =>
    Effect.gen(function* () {
      const press = yield* discussed("test_services_own_target")
      const { page } = yield* windowOf(press)
      yield* signInAs(page, 1, press.free.path)
      yield* act(() => page.getByRole("button", { name: "Heart" }).click())
      yield* act(() => page.getByRole("heading", { name: "This is you" }).waitFor())
      yield* act(() => page.goBack())
      assert.strictEqual(pathOf(page), press.free.path)
    })
  )

  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with a script" : "without one"
    it.live(`A comment is written, answered, reported and deleted, ${how}`, () =>
      Effect.gen(function* () {
        const press = yield* discussed(`test_services_comments_${String(javaScriptEnabled)}`)
        const { client, comment, free } = press
        const tab = yield* windowOf(press, { javaScriptEnabled, viewport: { width: 320, height: 700 } })
        const { page } = tab
        const check = (name: string) => (javaScriptEnabled ? clean(tab, name) : Effect.void)
        /** The message is read first. */
        const told = (text: string) =>
          Effect.gen(function* () {
            yield* act(() => page.locator("#outcome", { hasText: text }).waitFor())
            assert.strictEqual(yield* act(() => page.locator(":focus").getAttribute("id")), "outcome", text)
            yield* check(text)
          })
        yield* signInAs(page, 2, free.path)
        yield* check("post")
        yield* act(() => page.getByLabel("Your comment").fill("Well put\n<b>indeed</b>"))
        yield* act(() => page.getByRole("button", { name: "Comment", exact: true }).click())
        yield* told("Your comment is public.")
        yield* act(() => page.getByRole("link", { name: "See it in the discussion" }).click())
        assert.include(yield* act(() => page.innerText("main")), "<b>indeed</b>")

        yield* act(() => page.goto(`${free.path}/comments`))
        yield* act(() =>
          page
            .locator(`#c-${comment}`)
            .getByRole("link", { name: /^Respond/ })
            .click()
        )
        yield* check("respond to a comment")
        yield* act(() => page.getByRole("button", { name: "Clap" }).click())
        if (javaScriptEnabled) yield* act(() => page.locator('[aria-pressed="true"]').waitFor())
        else yield* told("Saved.")
        yield* act(() => page.getByLabel("Your reply").fill("I agree"))
        yield* act(() => page.getByRole("button", { name: /^Post (comment|reply)$/ }).click())
        yield* told("Your comment is public.")
        yield* act(() => page.getByText("Delete this comment").click())
        yield* act(() => page.getByRole("button", { name: "Delete comment" }).click())
        yield* told("The comment was deleted.")

        yield* act(() => page.goto(`/respond/${free.id}?to=${comment}`))
        yield* act(() => page.getByText("Report this comment").click())
        yield* act(() => page.getByLabel("Reason").fill("Spam"))
        yield* act(() => page.getByRole("button", { name: "Report", exact: true }).click())
        yield* told("Our moderators will look into it.")
        yield* act(() => page.getByText("Report this comment").click())
        yield* act(() => page.getByLabel("Reason").fill("Spam again"))
        yield* act(() => page.getByRole("button", { name: "Report", exact: true }).click())
        yield* told("You have already reported this comment.")
        assert.strictEqual(yield* act(() => page.getByLabel("Reason").inputValue()), "Spam again")

        const { body } = yield* client.send("GET", `/api/posts/${free.id}/comments`)
        assert.deepStrictEqual(
          body.map(({ content }: { content: string | null }) => content),
          ["Said", "Well put\n<b>indeed</b>", null]
        )
      })
    )
  }

  it.live("A page that is read again costs a 304, and prints without its forms", () =>
    Effect.gen(function* () {
      const press = yield* discussed("test_services_304")
      const { page } = yield* windowOf(press)
      yield* act(() => page.goto(press.free.path))
      const devtools = yield* act(() => page.context().newCDPSession(page))
      yield* act(() => devtools.send("Network.enable"))
      // The browser shows a 304 to the page as the answer that it had kept.
      const unchanged = new Promise<number>((resolve) => {
        devtools.on("Network.responseReceivedExtraInfo", ({ statusCode }) => {
          if (statusCode === 304) resolve(statusCode)
        })
      })
      yield* act(() => page.reload())
      assert.strictEqual(yield* act(() => unchanged), 304)
      yield* act(() => page.emulateMedia({ media: "print" }))
      for (const unseen of ["header.top", "form", ".comments"])
        assert.isFalse(yield* act(() => page.locator(unseen).first().isVisible()), unseen)
      assert.isTrue(yield* act(() => page.locator(".prose").isVisible()))
    })
  )
})
