import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ExchangeRate } from "../../../src/platform/ports/ExchangeRate.ts"
import { lookNow, lookSoon, sale } from "../../payments/sessions/sessionWorld.ts"
import { inTime } from "../../support/actors/buyer.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { deskAuthor, postBy } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"
import { begin, termsOf } from "./checkouts.ts"

layer(service(database("test_reading_checkout")))("the checkout of a reader", (it) => {
  it.effect("A reader pays with any wallet, and opens the whole text only in this browser", () =>
    Effect.gen(function* () {
      const { payer, postId } = yield* sale
      const reader = yield* browser
      const path = yield* begin(reader, postId)
      const page = yield* reader.get(path)
      assert.strictEqual(page.status, 200)
      assertPrivate(page)
      validated(page.text)
      assert.include(page.text, "<title>Pay 0.25 XNO · ")
      assert.include(page.text, "<h1>0.25 XNO</h1>")
      assert.notInclude(page.text, "test money")
      assert.notInclude(page.text, "pps_")
      // A second tab, a reload, and a page without script see the same.
      assert.strictEqual((yield* reader.get(path)).text, page.text)
      // Without a script, each reload waits a moment for a change.
      const refreshing = yield* inTime(reader.get(`${path}?refresh=5`))
      assert.strictEqual(refreshing.headers.get("refresh"), "5")
      assert.isNull(page.headers.get("refresh"))

      const { amount, payTo } = termsOf(page.text)
      yield* payer.pay(payTo, amount)
      yield* lookSoon
      const status = yield* reader.get(`${path}/status?state=open`)
      assert.deepStrictEqual(status.body, { state: "paid", text: "Paid. Your post is opening.", next: path })
      const on = yield* reader.get(path)
      assert.deepStrictEqual([on.status, on.headers.get("location")], [303, `/read/${postId}#rest`])
      const read = yield* reader.get(`/read/${postId}`)
      assert.strictEqual(read.status, 200)
      assertPrivate(read)
      validated(read.text)
      // The page leads to the first word that was bought.
      assert.match(
        read.text,
        /A penny for your [^]*id="rest"[^>]*>\s*Unlocked\. It's yours\. <a href="#take">Keep it<\/a>\s*<\/p>\s*<p>Paid/
      )
      // The receipt is in the link that the reader copies, behind the part of an address that browsers send.
      assert.deepStrictEqual(
        [...read.text.matchAll(/.{30}ppr_/g)].map(([place]) => place.slice(-31)),
        [`${postId.slice(-26)}#ppr_`]
      )

      // One cookie has all that the browser pays for.
      assert.deepStrictEqual(
        [...reader.jar.values()].map(({ name, path: at }) => [name, at]),
        [["__Host-pennypress-buyer", "/"]]
      )
      const other = yield* browser
      assert.strictEqual((yield* other.get(path)).status, 403)
      const locked = yield* other.get(`/read/${postId}`)
      assert.strictEqual(locked.status, 403)
      validated(locked.text)
      assert.notInclude(locked.text, "<p>Paid</p>")
      // The back button.
      assert.strictEqual((yield* reader.get(path)).status, 303)
    })
  )

  it.effect("A checkout says whose text it is, and what happens with another amount", () =>
    Effect.gen(function* () {
      const { author, postId } = yield* sale
      const reader = yield* browser
      const { text } = yield* reader.get(yield* begin(reader, postId))
      assert.include(text, `href="/@${author.handle}"`)
      assert.include(text, 'class="face')
      assert.include(text, "If you send more or less")
      // The digits behind the price stand back, and the whole amount is copied.
      assert.match(text, /<code class="copy">0\.25<span class="tail">0+[1-9]\d*<\/span> XNO<\/code/)
      assert.match(text, /data-copy="0\.250+[1-9]\d*"/)
      // One button pays. The other ways are folded: the link, the amount, the address, and the code for another device.
      assert.match(
        text,
        /href="nano:[^"]*">Pay in your wallet<[^]*<details class="by-hand">[^]*data-copy="nano:nano_[^]*data-copy="0\.25[^]*data-copy="nano_[^]*<details class="code">[^]*<svg/
      )
      assert.strictEqual(text.split("<details").length, 3)
      assert.notInclude(text, "<details open")
      // The script shows minutes instead of a time of day.
      assert.match(text, /Expires\s+<time datetime="[^"]*" data-left>at \d\d:\d\d UTC<\/time>/)
      assert.include(text, 'href="/about#wallet"')
      const about = yield* reader.get("/about")
      validated(about.text)
      assert.include(about.text, 'id="wallet"')
      const tip = yield* reader.post("/pay", { kind: "tip", amountXno: "0.1", handle: author.handle })
      const tipped = yield* reader.get(tip.headers.get("location")!)
      validated(tipped.text)
      assert.include(tipped.text, `href="/@${author.handle}"`)
      assert.notInclude(tipped.text, "stays locked")
    })
  )

  it.effect("A checkout asks a signed-in payer once whether lists of supporters show them", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      for (const [number, show] of [
        [920, "no"],
        [921, "yes"]
      ] as const) {
        const reader = yield* browser
        const path = yield* begin(reader, postId)
        assert.notInclude((yield* reader.get(path)).text, "/profile/supporters")
        yield* signIn(reader, number, path)
        const asked = yield* reader.get(path)
        validated(asked.text)
        assert.include(asked.text, "Show your name in lists of supporters?")
        const chosen = yield* reader.post("/profile/supporters", { back: path, next: "back", show })
        assert.deepStrictEqual([chosen.status, chosen.headers.get("location")], [303, path])
        assert.notInclude((yield* reader.get(path)).text, "/profile/supporters")
        const said = show === "yes" ? "Your name is in lists" : "Authors can see who paid them"
        assert.include((yield* reader.get("/profile")).text, said)
      }
    })
  )

  it.effect("A browser that has the text is led to it, and not to a second checkout", () =>
    Effect.gen(function* () {
      const { author, payer, postId } = yield* sale
      const reader = yield* browser
      const path = yield* begin(reader, postId)
      const { amount, payTo } = termsOf((yield* reader.get(path)).text)
      yield* payer.pay(payTo, amount)
      yield* lookSoon
      yield* reader.get(path)
      const read = `/read/${postId}`
      const buy = Effect.map(reader.post(`${read}/buy`), ({ headers }) => headers.get("location"))
      assert.strictEqual(yield* buy, read)
      const client = yield* TestClient
      const { body } = yield* client.send("GET", "/api/v1/finance/summary", { token: author.accessToken })
      assert.strictEqual(body.sales.count, 1)

      // A reader whose cookie opens nothing may buy.
      const stranger = yield* browser
      const [[at, cookie]] = [...reader.jar] as [[string, { name: string; path: string; value: string }]]
      for (const value of [
        `${cookie.value.slice(0, -1)}${cookie.value.endsWith("a") ? "b" : "a"}`,
        "x",
        "%00"
      ]) {
        stranger.jar.set(at, { ...cookie, value })
        assert.strictEqual((yield* stranger.get(read)).status, 403)
        assert.strictEqual((yield* stranger.get(path)).status, 403)
        assert.match((yield* stranger.post(`${read}/buy`)).headers.get("location")!, /^\/pay\//)
      }
      // The author, and an account that has it, need no checkout.
      yield* signIn(reader, 905, read)
      yield* reader.post(`${read}/account`)
      const phone = yield* browser
      yield* signIn(phone, 905)
      assert.strictEqual((yield* phone.post(`${read}/buy`)).headers.get("location"), read)
    })
  )

  it.effect(
    "A payment without its last digits opens the text for a signed-in reader who says that they have paid",
    () =>
      Effect.gen(function* () {
        const { payer, postId } = yield* sale
        const reader = yield* browser
        yield* signIn(reader, 907)
        const path = yield* begin(reader, postId)
        const page = yield* reader.get(path)
        const { amount, payTo } = termsOf(page.text)
        yield* payer.pay(payTo, amount - (amount % 10n ** 24n))
        yield* lookSoon
        assert.include((yield* reader.get(path)).text, "Waiting")
        assert.include(page.text, `action="${path}/sent"`)
        const said = yield* reader.post(`${path}/sent`)
        assert.deepStrictEqual([said.status, said.headers.get("location")], [303, path])
        yield* lookSoon
        assert.strictEqual((yield* reader.get(path)).headers.get("location"), `/read/${postId}#rest`)
      })
  )

  it.effect("A saved receipt opens the text in another browser", () =>
    Effect.gen(function* () {
      const { payer, postId } = yield* sale
      const reader = yield* browser
      const path = yield* begin(reader, postId)
      const { amount, payTo } = termsOf((yield* reader.get(path)).text)
      yield* payer.pay(payTo, amount)
      yield* lookSoon
      yield* reader.get(path)
      const saved = yield* reader.get(`/read/${postId}/receipt`)
      assert.match(saved.headers.get("content-disposition")!, /^attachment; filename="receipt-/)
      assertPrivate(saved)
      const receipt = /ppr_\w+/.exec(saved.text)![0]
      const other = yield* browser
      for (const wrong of ["", "ppr_x", `${receipt.slice(0, -1)}${receipt.endsWith("a") ? "b" : "a"}`]) {
        const refused = yield* other.post(`/read/${postId}`, { receipt: wrong })
        assert.deepStrictEqual([refused.status, other.jar.size], [403, 0], wrong)
        validated(refused.text)
      }
      assert.strictEqual((yield* other.post(`/read/${postId}`, { receipt: ` ${receipt}\n` })).status, 303)
      assert.include((yield* other.get(`/read/${postId}`)).text, "Paid")
      // It opens no other Post.
      const second = yield* sale
      assert.strictEqual((yield* other.post(`/read/${second.postId}`, { receipt })).status, 403)
    })
  )

  it.effect("An expired checkout says what became of the money, and begins again", () =>
    Effect.gen(function* () {
      const { payer, postId } = yield* sale
      const reader = yield* browser
      const path = yield* begin(reader, postId)
      const { amount, payTo } = termsOf((yield* reader.get(path)).text)
      yield* TestClock.adjust("16 minutes")
      const expired = yield* reader.get(path)
      validated(expired.text)
      assert.include(expired.text, "This payment request has expired")
      assert.include(expired.text, "still counts until")
      assert.include(expired.text, `action="/read/${postId}/buy"`)
      assert.notInclude(expired.text, "nano:")
      assert.strictEqual((yield* reader.get(`${path}/status?state=open`)).body.next, path)
      // The money that comes late opens the text.
      yield* payer.pay(payTo, amount)
      yield* TestClock.adjust("10 minutes")
      yield* lookNow
      assert.strictEqual((yield* reader.get(path)).headers.get("location"), `/read/${postId}#rest`)

      const other = yield* browser
      const next = yield* begin(other, postId)
      const cancelled = yield* other.post(`${next}/cancel`)
      assert.deepStrictEqual([cancelled.status, cancelled.headers.get("location")], [303, next])
      const page = yield* other.get(next)
      validated(page.text)
      assert.include(page.text, "You cancelled this payment.")
      yield* TestClock.adjust("2 days")
      yield* lookNow
      assert.include((yield* other.get(next)).text, "This payment request is closed")
    })
  )

  it.effect("A free Post is read immediately, and a missing one has no page", () =>
    Effect.gen(function* () {
      const { author, postId } = yield* sale
      const reader = yield* browser
      const free = yield* author.published()
      const on = yield* reader.post(`/read/${free.id}/buy`)
      assert.strictEqual(on.status, 303)
      assert.match(on.headers.get("location")!, new RegExp(`/@${author.handle}/${free.slug}$`))
      assert.match((yield* reader.get(`/read/${free.id}`)).headers.get("location")!, /\/@/)
      yield* author.unpublish(postId)
      for (const [path, body] of [
        [`/read/${postId}/buy`, {}],
        ["/read/x/buy", {}],
        ["/pay", { postId }],
        ["/pay", {}],
        ["/pay", { kind: "tip" }],
        ["/pay", { kind: "tip", handle: "nobody_here" }]
      ] as const) {
        const { headers, status, text } = yield* reader.post(path, body)
        assert.include(path === "/pay" ? [400, 404] : [404], status, text)
        assert.match(headers.get("content-type")!, /^text\/html/)
        validated(text)
      }
      for (const path of [
        "/pay/x",
        `/pay/${postId}`,
        "/read/x",
        `/read/${postId}`,
        "/read/x/receipt",
        "/tip"
      ])
        assert.strictEqual((yield* reader.get(path)).status, 404, path)
    })
  )

  it.effect("A tip is chosen from the author's amounts, and paid in the same way", () =>
    Effect.gen(function* () {
      const { author, payer, postId } = yield* sale
      const reader = yield* browser
      for (const query of [`handle=${author.handle}`, `post=${postId}`]) {
        const choice = yield* reader.get(`/tip?${query}`)
        assert.strictEqual(choice.status, 200)
        assertPrivate(choice)
        validated(choice.text)
      }
      for (const target of [{ handle: author.handle }, { postId }])
        for (const [amountXno, sentence] of [
          ["lots", "Write the amount in XNO, such as 0.25."],
          ["", "Write the amount in XNO, such as 0.25."],
          ["9".repeat(90), "Write the amount in XNO, such as 0.25."],
          ["1,000", "“1,000” can mean 1000 or 1 XNO. Write 1000 or 1."],
          ["0", "Choose an amount from 0.00001 to 9999 XNO."],
          ["0.2500005", "Use at most 6 decimals, such as 0.250001."]
        ] as const) {
          const wrong = yield* reader.post("/pay", { kind: "tip", ...target, amountXno })
          assert.strictEqual(wrong.status, 400)
          validated(wrong.text)
          assert.include(wrong.text, `<strong class="bad">${sentence}`)
          assert.match(wrong.text, new RegExp(`id="amount"[^>]*value="${amountXno}"`))
          assert.include(wrong.text, `href="/@${author.handle}"`)
        }
      const begun = yield* reader.post("/pay", { kind: "tip", handle: author.handle, amountXno: "Ӿ 0,5" })
      const path = begun.headers.get("location")!
      const page = yield* reader.get(path)
      assert.include(page.text, "Pay 0.5 XNO")
      assert.include(page.text, author.handle)
      const { amount, payTo } = termsOf(page.text)
      yield* payer.pay(payTo, amount)
      yield* lookSoon
      const paid = yield* reader.get(path)
      validated(paid.text)
      assert.include(paid.text, "Thank you")
    })
  )

  it.effect("A checkout takes only forms of its own pages, and belongs to its browser", () =>
    Effect.gen(function* () {
      const { postId } = yield* sale
      const reader = yield* browser
      const path = yield* begin(reader, postId)
      const forged: ReadonlyArray<Readonly<Record<string, string>>> = [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "", origin: "https://press.test" },
        { "sec-fetch-site": "cross-site", origin: "https://press.test" }
      ]
      for (const headers of forged) {
        for (const target of [
          "/pay",
          `${path}/cancel`,
          `${path}/sent`,
          `/read/${postId}`,
          `/read/${postId}/buy`,
          `/read/${postId}/gift`,
          "/gift"
        ]) {
          const { status, text } = yield* reader.post(target, { postId }, headers)
          assert.strictEqual(status, 403, target)
          validated(text)
        }
      }
      assert.include((yield* reader.get(path)).text, "Waiting")
      const json = yield* reader.post(`/read/${postId}/buy`, {}, { "content-type": "application/json" })
      assert.strictEqual(json.status, 415)
      const large = yield* reader.post("/pay", { postId, more: "x".repeat(70_000) })
      assert.strictEqual(large.status, 413)
      const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`f${at}`, "x"]))
      assert.strictEqual((yield* reader.post("/pay", many)).status, 400)

      const thief = yield* browser
      for (const target of [`${path}/cancel`, `${path}/sent`, `${path}/test-money`])
        assert.strictEqual((yield* thief.post(target)).status, 403, target)
      assert.strictEqual((yield* thief.get(`${path}/status`)).status, 403)
      for (const cookie of [
        "__Secure-pennypress-payment=pps_x",
        "__Secure-pennypress-payment=%00%ff;;=",
        "=;=;"
      ])
        assert.strictEqual((yield* thief.get(path, { cookie })).status, 403, cookie)
      const secret = [...reader.jar.values()][0]!
      // The secret of one payment shows no other.
      const other = yield* begin(thief, postId)
      assert.strictEqual((yield* thief.get(other, { cookie: `${secret.name}=${secret.value}` })).status, 403)
      // With the ledger of others there is no test money.
      assert.strictEqual((yield* reader.post(`${path}/test-money`)).status, 404)
    })
  )
})

const rate = Layer.succeed(ExchangeRate, {
  current: Effect.succeed({ perXno: 0.85, currency: "USD", at: null })
})

layer(service(database("test_web_checkout_rate")).pipe(Layer.provide(rate)))(
  "prices with an exchange rate",
  (it) => {
    it.effect("The wall and the checkout say what a price is worth", () =>
      Effect.gen(function* () {
        const { author, postId } = yield* sale
        const client = yield* TestClient
        const { body } = yield* client.send("GET", `/api/posts/${postId}`)
        const wall = yield* client.send("GET", `/@${author.handle}/${body.slug}`, {
          headers: { accept: "text/html" }
        })
        validated(wall.text)
        assert.include(wall.text, "0.25 XNO is about $0.21.")
        const reader = yield* browser
        const checkout = yield* reader.get(yield* begin(reader, postId))
        validated(checkout.text)
        assert.include(checkout.text, "<h1>0.25 XNO · about $0.21</h1>")
      })
    )

    it.effect("An author sees what a price is worth where it is decided, and what was earned", () =>
      Effect.gen(function* () {
        const { reader } = yield* deskAuthor(930)
        assert.include((yield* reader.get("/write")).text, "1 XNO is about $0.85.")
        assert.notInclude((yield* reader.get("/desk")).text, "$")
        const path = yield* postBy({ reader })
        const form = yield* reader.get(path)
        validated(form.text)
        assert.include(form.text, "1 XNO is about $0.85. 0.25 XNO is about $0.21.")
        assert.include((yield* reader.get(`${path}/publish`)).text, "0.25 XNO, about $0.21")
        const buyer = yield* browser
        const { text } = yield* buyer.get(yield* begin(buyer, path.replace("/write/", "")))
        const { amount, payTo } = termsOf(text)
        const { payer } = yield* sale
        yield* payer.pay(payTo, amount)
        yield* lookSoon
        for (const room of ["/desk", "/desk/sales"]) {
          const page = yield* reader.get(room)
          validated(page.text)
          assert.match(page.text, /0\.25<\/data> XNO, about \$0\.21/)
        }
      })
    )
  }
)
