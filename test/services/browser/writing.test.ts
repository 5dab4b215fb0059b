import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { walletOf } from "../../support/actors/owner.ts"
import { act, clean, mailedCode, pathOf, site, windowOf } from "./site.ts"

/** Most presses and fields from the sign-up to a published post that is for sale. */
const PRESSES_MAX = 14
const FIELDS_MAX = 16

/** Presses *Share* on a system that shares addresses, which gets that of the post. Other systems show no such button. */
const shares = Effect.fnUntraced(function* (page: Page) {
  const share = page.getByRole("button", { name: "Share" })
  assert.isFalse(yield* act(() => share.isVisible()))
  const url = yield* act(() => page.getByRole("link", { name: "See it" }).getAttribute("href"))
  yield* act(() =>
    page.addInitScript("navigator.share = (it) => { window.shared = it.url; return Promise.resolve() }")
  )
  yield* act(() => page.reload())
  yield* act(() => share.click())
  assert.strictEqual(yield* act(() => page.evaluate("window.shared")), url)
})

describe("writing in a real browser", () => {
  it.live("A person signs up, writes, publishes and sells a post, with a script and without", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_writing")
      for (const options of [{ viewport: { width: 320, height: 640 } }, { javaScriptEnabled: false }]) {
        const hasScript = !("javaScriptEnabled" in options)
        const [email, handle] = hasScript
          ? ["mara@example.org", "mara_writes"]
          : ["plain@example.org", "plain_writes"]
        const tab = yield* windowOf(press, options)
        const { page } = tab
        let presses = 0
        let fields = 0
        const check = (name: string) => (hasScript ? clean(tab, name) : Effect.void)
        const fill = (label: string, text: string) => {
          fields++
          return act(() => page.getByLabel(label, { exact: true }).fill(text))
        }
        const button = (name: string) => {
          presses++
          return act(() => page.getByRole("button", { name, exact: true }).click())
        }
        const link = (name: string) => {
          presses++
          return act(() => page.getByRole("link", { name, exact: true }).first().click())
        }
        const at = (path: string) => act(() => page.waitForURL((url) => url.pathname === path))

        yield* act(() => page.goto("/"))
        yield* link("Account")
        yield* at("/sign-in")
        yield* fill("Your email address", email)
        yield* button("Continue")
        yield* fill("Code", yield* mailedCode(press, email))
        yield* button("Continue")
        yield* at("/profile")
        yield* fill("Name", "Mara Lindqvist")
        yield* fill("Handle", handle)
        yield* button("Save")
        yield* at("/desk")
        yield* check("a new desk")
        yield* link("Add a payout address")
        yield* check("the payout address")
        yield* fill("Nano address", walletOf(41).account)
        yield* button("Save")
        yield* at("/desk")
        yield* link("New post")
        yield* check("a new post")
        yield* fill("Title", "Nine degrees from upright")
        yield* fill("The part that everyone reads", "The teaser, in **bold**.")
        presses++
        yield* act(() => page.getByText("+ Add a paid part").click())
        yield* fill("The part that you sell", "The rest of the bridge.")
        yield* check("a post with a paid part")
        yield* button("Publish…")
        yield* act(() => page.getByText("What you decide").waitFor())
        yield* check("a post before its publication")
        yield* fill("Price in XNO", "0.25")
        presses += 3
        yield* act(() =>
          page
            .getByRole("radiogroup", { name: "Category", exact: true })
            .getByLabel("Art & Illustration")
            .check()
        )
        yield* act(() => page.getByLabel("Human-written, according to the author.", { exact: true }).check())
        yield* act(() => page.getByLabel("I reviewed this post and take responsibility for it").check())
        yield* button(hasScript ? "Publish for 0.25 XNO" : "Publish")
        yield* act(() => page.getByRole("heading", { name: "It's out." }).waitFor())
        yield* act(() => page.getByText("QR code to print").click())
        yield* check("a published post")
        if (hasScript) yield* shares(page)
        assert.isAtMost(presses, PRESSES_MAX)
        assert.isAtMost(fields, FIELDS_MAX)

        yield* link("See it")
        assert.strictEqual(pathOf(page), `/@${handle}/nine-degrees-from-upright`)
        const shown = yield* act(() => page.innerText("main"))
        assert.include(shown, "The teaser, in bold.")
        assert.notInclude(shown, "The rest of the bridge.")
        const buyer = yield* windowOf(press, options)
        yield* act(() => buyer.page.goto(pathOf(page)))
        yield* act(() => buyer.page.getByRole("button", { name: /^Unlock this post/ }).click())
        yield* act(() => buyer.page.getByRole("button", { name: "Pay with test money" }).click())
        yield* act(async () => {
          while (!(await buyer.page.innerText("main")).includes("The rest of the bridge."))
            await buyer.page.waitForTimeout(200).then(() => buyer.page.reload())
        })
        yield* act(() => page.goto("/desk"))
        yield* act(() => page.getByText("1 sale").waitFor())
      }
    })
  )
})
