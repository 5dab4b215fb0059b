import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { signMessage, walletOf } from "../../support/actors/owner.ts"
import { act, clean, mailedCode, pathOf, signInAs, signInHere, site, tabBeside, windowOf } from "./site.ts"

describe("accounts in a real browser", () => {
  it.live("An account is made by mail, gets a name, signs out, and signs in again by mail", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_accounts_mail")
      const email = "nele@example.org"
      for (const options of [{ viewport: { width: 320, height: 640 } }, { javaScriptEnabled: false }]) {
        const hasScript = !("javaScriptEnabled" in options)
        const [address, handle] = hasScript ? [email, "nele_reads"] : [`plain.${email}`, "plain_reads"]
        const tab = yield* windowOf(press, options)
        const { page } = tab
        const check = (name: string) => (hasScript ? clean(tab, name) : Effect.void)
        yield* act(() => page.goto("/sign-in?back=%2Fabout"))
        yield* check("sign-in")
        yield* act(() => page.getByLabel("Your email address").fill(address))
        yield* act(() => page.getByRole("button", { name: "Continue" }).click())
        yield* act(() => page.getByLabel("Code").waitFor())
        yield* check("code of a registration")
        const first = yield* mailedCode(press, address)
        yield* act(() => page.getByLabel("Code").fill(first))
        yield* act(() => page.getByRole("button", { name: "Continue" }).click())
        yield* act(() => page.waitForURL("**/profile?back=%2Fabout"))
        yield* check("profile")
        yield* act(() => page.getByLabel("Name", { exact: true }).fill("Nele"))
        yield* act(() => page.getByLabel("Handle").fill(handle))
        yield* act(() => page.getByRole("button", { name: "Save" }).click())
        yield* act(() => page.waitForURL("**/about"))
        yield* act(() => page.goto("/sign-out"))
        yield* check("sign-out")
        yield* act(() => page.getByRole("button", { name: /^Sign out/ }).click())
        yield* act(() => page.goto("/sign-out"))
        assert.strictEqual(pathOf(page), "/sign-in?back=%2Fsign-out")

        yield* act(() => page.getByLabel("Your email address").fill(address))
        yield* act(() => page.getByRole("button", { name: "Continue" }).click())
        const second = yield* mailedCode(press, address, first)
        yield* act(() => page.getByLabel("Code").fill("000000"))
        yield* act(() => page.getByRole("button", { name: "Continue" }).click())
        yield* act(() => page.getByText("That code is wrong or has expired").waitFor())
        assert.strictEqual(yield* act(() => page.locator(":focus").getAttribute("id")), "code")
        yield* check("wrong code")
        yield* act(() => page.getByLabel("Code").fill(second))
        yield* act(() => page.getByRole("button", { name: "Continue" }).click())
        yield* act(() => page.waitForURL("**/sign-out"))
        assert.include(yield* act(() => page.innerText("main")), "(this browser)")
      }
    })
  )

  it.live("An account signs in by keyboard only, and with a pasted signature", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_accounts_wallet")
      const tab = yield* windowOf(press)
      const { page } = tab
      const focused = act(() => page.evaluate<string>("document.activeElement.id"))
      const tabTo = (id: string) =>
        Effect.gen(function* () {
          for (let presses = 0; (yield* focused) !== id; presses++) {
            assert.isBelow(presses, 40, id)
            yield* act(() => page.keyboard.press("Tab"))
          }
        })
      const wallet = walletOf(7)
      yield* act(() => page.goto("/sign-in"))
      yield* tabTo("account")
      yield* act(() => page.keyboard.type(wallet.account))
      yield* act(() => page.keyboard.press("Enter"))
      const message = yield* act(() => page.locator("pre").textContent())
      yield* clean(tab, "signature")
      yield* tabTo("signature")
      yield* act(() => page.keyboard.insertText(signMessage(wallet, message ?? "")))
      yield* act(() => page.keyboard.press("Enter"))
      yield* act(() => page.waitForURL((url) => url.pathname === "/desk"))
      const [cookie] = yield* act(() => page.context().cookies())
      assert.deepStrictEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, "Lax", "/"])
      assert.strictEqual(yield* act(() => page.evaluate<string>("document.cookie")), "")
      assert.deepStrictEqual(tab.errors, [])
    })
  )

  it.live("A tab in which an owner writes outlives the sign-out in another, and the session's end", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_accounts_tabs")
      const { client, free, sql } = press
      const tab = yield* windowOf(press)
      const { page } = tab
      yield* signInAs(page, 3, "/profile?back=%2Fabout")
      yield* act(() => page.getByLabel("Name", { exact: true }).fill("Bob"))
      yield* act(() => page.getByLabel("Handle").fill("bob_reads"))
      yield* act(() => page.getByRole("button", { name: "Save" }).click())
      for (const [text, end] of [
        ["Written before the sign-out", "sign-out"],
        ["Written before the session ended", "expiry"]
      ] as const) {
        yield* act(() => page.goto(`/respond/${free.id}`))
        yield* act(() => page.getByLabel("Your comment").fill(text))
        const other = yield* tabBeside(tab)
        if (end === "sign-out") {
          yield* act(() => other.page.goto("/sign-out"))
          yield* act(() =>
            other.page
              .getByRole("button", { name: /^Sign out/ })
              .first()
              .click()
          )
          yield* act(() => other.page.waitForURL((url) => url.pathname === "/"))
        } else yield* sql`update sessions set expires_at = created_at + interval '1 millisecond'`
        yield* act(() => page.getByRole("button", { name: /^Post (comment|reply)$/ }).click())
        yield* act(() => page.getByText("You're not signed in.").first().waitFor())
        assert.strictEqual(yield* act(() => page.getByLabel("What you wrote").inputValue()), text)
        assert.strictEqual(yield* act(() => page.locator(":focus").getAttribute("id")), "outcome")
        yield* clean(tab, "not signed in")
        yield* signInHere(page, 3)
        yield* act(() => page.getByText("Your comment is public.").waitFor())
        const { body } = yield* client.send("GET", `/api/posts/${free.id}/comments`)
        assert.strictEqual(body.at(-1).content, text)
        yield* act(() => other.page.close())
      }
    })
  )
})
