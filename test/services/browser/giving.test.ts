import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { act, clean, signInAs, signInHere, site, type Site, windowOf } from "./site.ts"

const REST = "The rest of the story."

/** Makes a gift in the browser of its author. Returns its link, and the window. */
const given = Effect.fnUntraced(function* (
  press: Site,
  options: NonNullable<Parameters<typeof windowOf>[1]>
) {
  const { sold } = press
  const desk = yield* windowOf(press, options)
  const { page } = desk
  const hasScript = options.javaScriptEnabled !== false
  const check = (name: string) => (hasScript ? clean(desk, name) : Effect.void)
  yield* signInAs(page, 1)
  // Authors who press the button of their own Post buy nothing. The page says that it is theirs.
  yield* act(() => page.goto(sold.path))
  yield* act(() => page.getByRole("button", { name: /^Unlock this post/ }).click())
  yield* act(() => page.waitForURL(`**/read/${sold.id}`))
  yield* act(() => page.getByRole("link", { name: "Give to readers" }).click())
  yield* act(() => page.waitForURL(`**/give/${sold.id}`))
  yield* check("give")
  yield* act(() => page.getByLabel("Note to yourself").fill("For Ann"))
  yield* act(() => page.getByRole("button", { name: "Create gift link" }).click())
  yield* act(() => page.getByText("Copy it now").waitFor())
  assert.strictEqual(yield* act(() => page.locator(":focus").getAttribute("id")), "outcome")
  const url = (yield* act(() => page.locator("code.copy").textContent())) ?? ""
  assert.match(url, /#gift=ppg_[0-9A-Za-z]{22}_[0-9A-Za-z]{43}$/)
  yield* check("given")
  return { desk, url, check, hasScript }
})

/** Opens a gift in a browser without an account. */
const opened = Effect.fnUntraced(function* (press: Site, url: string) {
  const tab = yield* windowOf(press)
  const { page } = tab
  yield* act(() => page.goto(url))
  yield* act(() => page.waitForURL((at) => at.pathname === "/gift"))
  yield* act(() => page.getByText("gives you “Eleven lighthouses”.").waitFor())
  assert.isNull(yield* act(() => page.evaluate<string | null>("location.hash || null")))
  yield* clean(tab, "gift")
  yield* act(() => page.getByRole("button", { name: "Open gift" }).click())
  yield* act(() => page.waitForURL(`**/read/${press.sold.id}`))
  assert.include(yield* act(() => page.innerText("main")), REST)
  return tab
})

describe("giving in a real browser", () => {
  it.live("An author makes a gift, a reader opens it and adds it to an account, and it is taken back", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_gifts")
      const { sold } = press
      const permissions = ["clipboard-read", "clipboard-write"]
      for (const options of [
        { viewport: { width: 320, height: 640 }, permissions },
        { javaScriptEnabled: false }
      ]) {
        const { check, desk, hasScript, url } = yield* given(press, options)
        const number = hasScript ? 2 : 3
        const { page } = desk
        const copy = page.getByRole("button", { name: /^Copy/ })
        if (hasScript) {
          yield* act(() => copy.click())
          yield* act(() => page.getByRole("button", { name: "Copied" }).waitFor())
          assert.strictEqual(yield* act(() => page.evaluate<string>("navigator.clipboard.readText()")), url)
        } else assert.isFalse(yield* act(() => copy.isVisible()))
        // A reload sends the form again: it makes no other gift, and shows no link.
        yield* act(() => page.reload())
        yield* act(() => page.getByText("we showed its link when you created it").waitFor())
        assert.notInclude(yield* act(() => page.content()), "ppg_")

        const reader = yield* opened(press, url)
        yield* act(() => reader.page.getByRole("button", { name: "Add to my account" }).click())
        yield* clean(reader, "sign-in before it is kept")
        yield* signInHere(reader.page, number)
        yield* act(() => reader.page.getByText("This was a gift to you. It's in your account.").waitFor())
        yield* clean(reader, "kept")
        const phone = yield* windowOf(press)
        yield* signInAs(phone.page, number, `/read/${sold.id}`)
        assert.include(yield* act(() => phone.page.innerText("main")), REST)

        yield* act(() => page.goto("/give"))
        yield* check("choice")
        yield* act(() => page.getByRole("link", { name: "Eleven lighthouses" }).click())
        const row = page.getByRole("listitem").filter({ hasText: "For Ann" }).first()
        assert.include(yield* act(() => row.innerText()), "1 of 1 opened")
        yield* act(() => row.locator("summary").click())
        yield* check("end of a gift")
        yield* act(() => row.getByRole("button", { name: "Take it back from its readers, too" }).click())
        yield* act(() => page.getByText("This gift was taken back").waitFor())
        yield* check("ended")
        for (const it of [reader, phone]) {
          yield* act(() => it.page.reload())
          assert.notInclude(yield* act(() => it.page.innerText("main")), REST)
        }
      }
    })
  )
})
