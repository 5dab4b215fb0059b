import { execFileSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { Page } from "playwright-core"
import { poll } from "../../../layers/time/poll.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { act, clean, mailedCode, pathOf, signInAs, site, windowOf } from "./site.ts"

/** Reloads a page until it shows this. */
const shown = Effect.fnUntraced(function* (page: Page, path: string, selector: string) {
  const look = act(async () => {
    await page.goto(path)
    return (await page.locator(selector).count()) > 0 ? Option.some(true) : Option.none()
  })
  assert.isTrue(Option.isSome(yield* onRealClock(poll(look, 60_000))), `${path} shows no ${selector}`)
})

describe("the account and the profile in a real browser", () => {
  it.live("An author fills in a profile, and readers see it with its picture", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_profile")
      for (const options of [{ viewport: { width: 320, height: 640 } }, { javaScriptEnabled: false }]) {
        const hasScript = !("javaScriptEnabled" in options)
        const handle = hasScript ? "mara_shows" : "plain_shows"
        const tab = yield* windowOf(press, options)
        const { page } = tab
        yield* signInAs(page, hasScript ? 51 : 52, "/desk/profile")
        if (hasScript) yield* clean(tab, "an empty profile")
        yield* act(async () => {
          await page.getByLabel("Name", { exact: true }).fill("Mara Lindqvist")
          await page.getByLabel("Handle", { exact: true }).fill(handle)
          await page.getByLabel("About you", { exact: true }).fill("Bridges that lean.")
          await page.getByLabel("Your website", { exact: true }).fill("https://mara.example/")
          await page.getByRole("button", { name: "Save", exact: true }).click()
          await page.getByText("Your profile is saved.").waitFor()
        })
        if (hasScript) yield* clean(tab, "a saved profile")
        const buffer = Buffer.from(pngOf({ width: 64, height: 64, seed: hasScript ? 1 : 2 }))
        yield* act(async () => {
          await page
            .getByLabel("A picture of you")
            .setInputFiles({ name: "me.png", mimeType: "image/png", buffer })
          await page.getByRole("button", { name: "Upload picture", exact: true }).click()
          await page.getByText("Your picture has arrived.").waitFor()
        })
        const stranger = yield* windowOf(press, options)
        yield* shown(stranger.page, `/@${handle}`, "img.face.large")
        assert.include(yield* act(() => stranger.page.innerText("main")), "Bridges that lean.")
        yield* shown(
          page,
          "/desk/profile",
          "text=/Your newest upload: (Being checked. Readers can already see it|Checked)/"
        )
      }
    })
  )

  it.live("A person makes a key, copies it, uses it, revokes it, and changes the email address", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_account")
      const tab = yield* windowOf(press, {
        viewport: { width: 320, height: 640 },
        permissions: ["clipboard-read", "clipboard-write"]
      })
      const { page } = tab
      yield* signInAs(page, 61, "/desk/account")
      yield* clean(tab, "a new account")
      yield* act(async () => {
        await page.getByLabel("Label of a new key").fill("My newsletter")
        await page.getByRole("button", { name: "Make a key" }).click()
        await page.getByText("Copy the key now").waitFor()
      })
      yield* clean(tab, "a new key")
      yield* act(() => page.getByRole("button", { name: "Copy publishing key" }).click())
      const key = yield* act(() => page.evaluate<string>("navigator.clipboard.readText()"))
      assert.match(key, /^ppk_/)
      const status = () =>
        act(async () => {
          const { status } = await fetch(`${press.origin}/api/v1/profile`, {
            headers: { authorization: `Bearer ${key}` }
          })
          return status
        })
      assert.strictEqual(yield* status(), 200)
      // The page of the secret is an answer to a form: a reload sends the form again, and shows no secret.
      yield* act(() => page.reload())
      const again = yield* act(() => page.innerText("main"))
      assert.notInclude(again, "ppk_")
      assert.include(again, "You already made this key")
      yield* act(async () => {
        await page.getByText("Replace or revoke").click()
        await page.getByRole("button", { name: "Revoke", exact: true }).click()
        await page.getByText("The key is revoked.").waitFor()
      })
      yield* clean(tab, "a revoked key")
      assert.strictEqual(yield* status(), 401)

      yield* act(async () => {
        await page.getByLabel("New email address").fill("mara@example.org")
        await page.getByRole("button", { name: "Email me a code" }).click()
        await page.getByText("We've emailed you a code.").waitFor()
      })
      yield* clean(tab, "an address that waits for its code")
      const code = yield* mailedCode(press, "mara@example.org")
      yield* act(async () => {
        await page.getByLabel("Code", { exact: true }).fill(code)
        await page.getByRole("button", { name: "Confirm this address" }).click()
        await page.getByText("Your email address is confirmed.").waitFor()
        await page.getByRole("button", { name: "Sign out of this browser" }).click()
        await page.waitForURL((url) => url.pathname === "/")
        await page.goto("/desk/account")
      })
      assert.strictEqual(pathOf(page), "/sign-in?back=%2Fdesk%2Faccount")
    })
  )

  it.live("An author downloads everything, with scripts and without", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_export")
      for (const options of [{ viewport: { width: 320, height: 640 } }, { javaScriptEnabled: false }]) {
        const hasScript = !("javaScriptEnabled" in options)
        const tab = yield* windowOf(press, options)
        const { page } = tab
        yield* signInAs(page, hasScript ? 61 : 62, "/desk/account")
        if (hasScript) yield* clean(tab, "an account")
        const file = yield* act(async () => {
          const begun = page.waitForEvent("download")
          await page.getByRole("link", { name: "Download everything", exact: true }).click()
          const download = await begun
          assert.match(download.suggestedFilename(), /^pennypress-\w+-\d{4}-\d\d-\d\d\.zip$/)
          return download.path()
        })
        assert.include(execFileSync("unzip", ["-t", file], { encoding: "utf8" }), "No errors detected")
      }
    }).pipe(Effect.scoped)
  )
})
