import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { act, clean, pathOf, signInHere, site, tabBeside, windowOf } from "./site.ts"

const REST = "The rest of the story."

describe("paying in a real browser", () => {
  it.live("A payment opens the whole text in a moment, and the back button shows no other state", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_paying")
      const { sold } = press
      for (const width of [1280, 320]) {
        const tab = yield* windowOf(press, { viewport: { width, height: 800 } })
        const { page } = tab
        yield* act(() => page.goto(sold.path))
        assert.notInclude(yield* act(() => page.innerText("main")), REST)
        yield* act(() => page.getByRole("button", { name: /^Unlock this post/ }).click())
        yield* act(() => page.getByText("Waiting for your payment. This page continues").waitFor())
        yield* clean(tab, `checkout ${width}`)
        const paying = pathOf(page)
        // A reload and another tab show the same payment.
        yield* act(() => page.reload())
        const beside = yield* tabBeside(tab)
        yield* act(() => beside.page.goto(paying))
        assert.include(yield* act(() => beside.page.innerText("main")), "Pay in your wallet")
        assert.match(yield* act(() => page.innerText("time[data-left]")), /^in 1[45] minutes$/)
        // No wallet opens here, so the page says what to do, and has the focus there.
        yield* act(() => page.getByRole("link", { name: "Pay in your wallet" }).click())
        const code = page.getByRole("img", { name: /^QR code/ })
        assert.strictEqual(yield* act(() => code.isVisible()), width === 1280)
        yield* act(() => page.getByText("Exact amount in XNO", { exact: true }).waitFor())
        assert.strictEqual(yield* act(() => page.locator(":focus").innerText()), "Wallet didn't open?")
        assert.isTrue(yield* act(() => code.isVisible()))
        yield* act(() => page.getByRole("button", { name: "Copy payment link" }).waitFor())
        yield* clean(tab, `unopened ${width}`)
        yield* act(() => page.getByRole("button", { name: "Pay with test money" }).click())
        yield* act(() => page.waitForURL(`**/read/${sold.id}#rest`))
        assert.include(yield* act(() => page.innerText("main")), REST)
        yield* clean(tab, `read ${width}`)
        // The other tab goes on by itself.
        yield* act(() => beside.page.waitForURL(`**/read/${sold.id}#rest`))
        yield* act(() => page.goBack())
        assert.include([sold.path, `/read/${sold.id}#rest`], pathOf(page))
        yield* act(() => page.goto(paying))
        assert.strictEqual(pathOf(page), `/read/${sold.id}#rest`)
        const download = page.waitForEvent("download")
        yield* act(() => page.getByRole("link", { name: "Save receipt" }).click())
        assert.match((yield* act(() => download)).suggestedFilename(), /^receipt-.*\.txt$/)
        assert.deepStrictEqual([...tab.errors, ...beside.errors], [])
      }
    })
  )

  it.live("A payment works without a script, and adds the purchase to an account", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_paying_plain")
      const { sold } = press
      const { page } = yield* windowOf(press, { javaScriptEnabled: false })
      yield* act(() => page.goto(sold.path))
      yield* act(() => page.getByRole("button", { name: /^Unlock this post/ }).click())
      yield* act(() => page.getByRole("link", { name: "Check every 5 seconds" }).click())
      yield* act(() => page.getByRole("link", { name: "Stop" }).click())
      yield* act(() => page.getByRole("button", { name: "Pay with test money" }).click())
      yield* act(async () => {
        while (!page.url().endsWith(`/read/${sold.id}#rest`))
          await page.getByRole("button", { name: "I've paid, check now" }).click()
      })
      assert.include(yield* act(() => page.innerText("main")), REST)
      yield* act(() => page.getByRole("button", { name: "Add to my account" }).click())
      yield* signInHere(page, 2)
      assert.include(yield* act(() => page.innerText("main")), "in your account")
    })
  )

  it.live("A private link opens the text on another device, and no request names its secret", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_private_link")
      const { sold } = press
      const buyer = yield* windowOf(press)
      yield* act(() => buyer.page.goto(sold.path))
      yield* act(() => buyer.page.getByRole("button", { name: /^Unlock this post/ }).click())
      yield* act(() => buyer.page.getByRole("button", { name: "Pay with test money" }).click())
      yield* act(() => buyer.page.waitForURL(`**/read/${sold.id}#rest`))
      yield* act(() => buyer.page.getByRole("link", { name: "Keep it" }).click())
      const copy = buyer.page.getByRole("button", { name: "Copy your private link" })
      const link = yield* act(() => copy.getAttribute("data-copy"))
      assert.include(link, `/read/${sold.id}#ppr_`)
      yield* act(() => buyer.page.getByText("Email it to me").click())
      yield* clean(buyer, "email it to me")
      yield* act(() => buyer.page.getByLabel("Your email address").fill("reader@example.org"))
      yield* act(() => buyer.page.getByRole("button", { name: "Email my private link" }).click())
      yield* act(() => buyer.page.getByText("We're emailing it to reader@example.org").waitFor())
      yield* clean(buyer, "emailed")

      const phone = yield* windowOf(press, { viewport: { width: 390, height: 844 } })
      const requested: Array<string> = []
      phone.page.on("request", (request) => requested.push(request.url(), request.headers()["referer"] ?? ""))
      yield* act(() => phone.page.goto(link!))
      yield* act(() => phone.page.getByText(REST).waitFor())
      assert.strictEqual(pathOf(phone.page), `/read/${sold.id}`)
      // The link only loses its secret when the text is open already.
      yield* act(() => phone.page.goto("/"))
      yield* act(() => phone.page.goto(link!))
      yield* act(() => phone.page.waitForFunction("location.hash === ''"))
      assert.include(yield* act(() => phone.page.innerText("main")), REST)
      for (const it of requested) assert.notInclude(it, "ppr_")

      const other = yield* windowOf(press)
      yield* act(() => other.page.goto(link!.slice(0, -1)))
      yield* act(() => other.page.getByText("This receipt doesn't open this post").waitFor())
      const plain = yield* windowOf(press, { javaScriptEnabled: false })
      yield* act(() => plain.page.goto(link!))
      yield* act(() => plain.page.getByLabel("Receipt").fill(link!))
      yield* act(() => plain.page.getByRole("button", { name: "Read" }).click())
      assert.include(yield* act(() => plain.page.innerText("main")), REST)
    })
  )

  it.live("Two tabs that both pay lose nothing", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_paying_twice")
      const { sold } = press
      const first = yield* windowOf(press)
      const second = yield* tabBeside(first)
      const tabs = [first, second]
      for (const { page } of tabs) {
        yield* act(() => page.goto(sold.path))
        yield* act(() => page.getByRole("button", { name: /^Unlock this post/ }).click())
        yield* act(() => page.getByText("Waiting for your payment. This page continues").waitFor())
      }
      assert.strictEqual(pathOf(first.page), pathOf(second.page))
      yield* Effect.forEach(
        tabs,
        ({ page }) => act(() => page.getByRole("button", { name: "Pay with test money" }).click()),
        { concurrency: 2, discard: true }
      )
      for (const { errors, page } of tabs) {
        yield* act(() => page.waitForURL(`**/read/${sold.id}#rest`))
        assert.include(yield* act(() => page.innerText("main")), REST)
        assert.deepStrictEqual(errors, [])
      }
    })
  )

  it.live("A late payment is explained, and the checkout begins again", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_paying_late")
      const { client, sold, sql } = press
      const tab = yield* windowOf(press)
      const { page } = tab
      yield* act(() => page.goto(sold.path))
      yield* act(() => page.getByRole("button", { name: /^Unlock this post/ }).click())
      const uri = yield* act(() =>
        page.getByRole("link", { name: "Pay in your wallet" }).getAttribute("href")
      )
      const [, account = "", amount = ""] = /nano:(nano_\w+)\?amount=(\d+)/.exec(uri ?? "") ?? []
      const paying = pathOf(page)
      yield* sql`update payment_sessions set expires_at = created_at + interval '1 millisecond'`
      // The page, which waits, learns it.
      yield* act(() => page.getByRole("heading", { name: "This payment request has expired" }).waitFor())
      yield* clean(tab, "expired")
      yield* act(() => page.getByRole("button", { name: "Start over" }).click())
      yield* act(() => page.getByText("Waiting for your payment. This page continues").waitFor())
      assert.notStrictEqual(pathOf(page), paying)
      yield* act(() => page.getByRole("button", { name: "Cancel" }).click())
      assert.include(yield* act(() => page.innerText("main")), "You cancelled this payment.")
      yield* clean(tab, "cancelled")
      const paid = yield* client.send("POST", "/dev/nano", {
        body: { action: "faucet", account, amount }
      })
      assert.isUndefined(paid.body.error, paid.text)
      yield* act(async () => {
        while (!page.url().endsWith(`/read/${sold.id}#rest`)) await page.goto(paying)
      })
      assert.include(yield* act(() => page.innerText("main")), REST)
    })
  )

  it.live("A reader tips an author, and opens a gift from its link", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_giving")
      const { author, client, free, sold } = press
      const tab = yield* windowOf(press)
      const { page } = tab
      yield* act(() => page.goto(free.path))
      yield* act(() => page.getByRole("link", { name: /^Other tip for/ }).click())
      yield* clean(tab, "tip")
      yield* act(() => page.getByLabel("Other amount in XNO").fill("0.5"))
      yield* act(() => page.getByRole("button", { name: "Tip", exact: true }).click())
      yield* act(() => page.getByRole("heading", { name: "0.5 XNO" }).waitFor())
      yield* act(() => page.getByRole("button", { name: "Pay with test money" }).click())
      yield* act(() => page.getByRole("heading", { name: "Thank you" }).waitFor())
      yield* clean(tab, "thanks")

      const issued = yield* client.send("POST", "/api/v1/gifts", {
        token: author.accessToken,
        headers: { "idempotency-key": "5f0c7a52-6f3c-4b0e-9d52-000000000001" },
        body: { postId: sold.id, maxRedemptions: 1 }
      })
      const requested: Array<string> = []
      page.on("request", (request) => requested.push(request.url()))
      yield* act(() => page.goto(issued.body.url))
      yield* act(() => page.waitForURL((url) => url.pathname === "/gift"))
      yield* act(() => page.waitForFunction("location.hash === ''"))
      assert.strictEqual(yield* act(() => page.getByLabel("Gift code").inputValue()), issued.body.token)
      yield* clean(tab, "gift")
      const other = yield* tabBeside(tab)
      yield* act(() => other.page.goto("/gift"))
      yield* act(() => other.page.getByLabel("Gift code").fill("no code"))
      yield* act(() => other.page.getByRole("button", { name: "Open gift" }).click())
      yield* act(() => other.page.getByText("That isn't a gift code").waitFor())
      assert.strictEqual(yield* act(() => other.page.locator(":focus").getAttribute("id")), "token-hint")
      yield* act(() => page.getByRole("button", { name: "Open gift" }).click())
      yield* act(() => page.waitForURL(`**/read/${sold.id}`))
      assert.include(yield* act(() => page.innerText("main")), REST)
      yield* clean(tab, "given")
      for (const url of requested) assert.notInclude(url, issued.body.token)
    })
  )
})
