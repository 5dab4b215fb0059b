import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { offered } from "../../payments/access/downloading.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { buyerOf } from "../../support/actors/buyer.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { signIn as signInByApi } from "../../support/actors/owner.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"

const PAID = { paidContentMarkdown: "Bought.", enablePaywall: true, priceXno: "0.25" }

layer(service(database("test_web_library"), 1, { adminToken: ADMIN_TOKEN }))(
  "The library of a reader",
  (it) => {
    it.effect("What an account bought is found from another browser, page by page", () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const buyer = yield* buyerOf(2)
        const { accessToken: token } = yield* signInByApi(3)
        const bought: Array<string> = []
        for (let n = 0; n < 51; n++) {
          const { id } = yield* author.published({
            ...PAID,
            title: `Bought ${n} <b>`,
            priceXno: `0.000${n + 10}`
          })
          assert.strictEqual((yield* buyer.buy(id, { token })).answer.status, 200)
          bought.push(id)
        }
        const reader = yield* browser
        assert.strictEqual(
          (yield* reader.get("/desk/purchases")).headers.get("location"),
          "/sign-in?back=%2Fdesk%2Fpurchases"
        )
        yield* signIn(reader, 3)
        const first = yield* reader.get("/desk/purchases")
        assertPrivate(first)
        validated(first.text)
        assert.include(first.text, "Bought 50 &lt;b&gt;")
        assert.strictEqual(first.text.split("/read/").length - 1, 50)
        const [, next = ""] = /rel="next" href="([^"]+)"/.exec(first.text) ?? []
        const second = yield* reader.get(next)
        validated(second.text)
        assert.include(second.text, `/read/${bought[0]}`)
        assert.include((yield* reader.get(`/read/${bought[0]}`)).text, "Bought.")
        assert.include((yield* reader.get("/desk")).text, `href="/desk/purchases"`)
        for (const wrong of ["x", "%00", "y".repeat(1_000)])
          assert.strictEqual((yield* reader.get(`/desk/purchases?after=${wrong}`)).status, 404, wrong)
      })
    )

    it.effect("A restricted account still reads what it bought, and does not pay for it again", () =>
      Effect.gen(function* () {
        const { id } = yield* (yield* authorOf(31)).published({ ...PAID, title: "Bought before" })
        const { accessToken: token, handle } = yield* commenterOf(32)
        assert.strictEqual((yield* (yield* buyerOf(33)).buy(id, { token })).answer.status, 200)
        const reader = yield* browser
        yield* signIn(reader, 32)
        const admin = yield* administrator()
        yield* admin["accounts.restrict"]({ handle, reason: "Spam" })
        assert.include((yield* reader.get(`/read/${id}`)).text, "Bought.")
        const again = yield* reader.post(`/read/${id}/buy`)
        assert.deepStrictEqual([again.status, again.headers.get("location")], [303, `/read/${id}`])
        const purchases = yield* reader.get("/desk/purchases")
        assert.strictEqual(purchases.status, 200)
        validated(purchases.text)
        assert.include(purchases.text, "Bought before")
        const desk = yield* reader.get("/desk")
        assert.strictEqual(desk.status, 403)
        assert.include(desk.text, 'href="/desk/purchases"')
      })
    )

    it.effect("A reader with twenty purchases finds one by its words, and downloads the files of each", () =>
      Effect.gen(function* () {
        const offer = yield* offered(yield* uploaderOf(11))
        const author = yield* authorOf(12)
        const buyer = yield* buyerOf(13)
        const { accessToken: token } = yield* signInByApi(14)
        assert.strictEqual((yield* buyer.buy(offer.id, { token })).answer.status, 200)
        for (let n = 0; n < 18; n++) {
          const { id } = yield* author.published({
            ...PAID,
            title: `Volume ${n}`,
            priceXno: `0.000${n + 10}`
          })
          yield* buyer.buy(id, { token })
        }
        const reader = yield* browser
        yield* signIn(reader, 14)
        const few = yield* reader.get("/desk/purchases")
        assert.notInclude(few.text, 'name="q"')
        const file = `/read/${offer.id}/files/${offer.file}`
        assert.include(few.text, `href="${file}"`)
        const downloaded = yield* reader.get(file)
        assert.deepStrictEqual(
          [downloaded.status, downloaded.headers.get("content-type")],
          [200, "application/zip"]
        )
        assert.match(few.text, new RegExp(`href="/read/${offer.id}"[^>]*>\\s*Read`))

        const { id } = yield* author.published({ ...PAID, title: "Élan & <vital>" })
        yield* buyer.buy(id, { token })
        assert.include((yield* reader.get("/desk/purchases")).text, 'name="q"')
        const found = yield* reader.get("/desk/purchases?q=ELAN")
        validated(found.text)
        assert.strictEqual(found.text.split("/read/").length - 1, 1)
        assert.include(found.text, "Élan &amp; &lt;vital&gt;")
        const none = yield* reader.get(`/desk/purchases?q=${encodeURIComponent('"><b>nowhere')}`)
        validated(none.text)
        assert.include(none.text, "None of your purchases have “<bdi>&quot;&gt;&lt;b&gt;nowhere</bdi>”")
        for (const wrong of [`q=${"y".repeat(1_000)}`, "q=%00", "q=a&after=x"])
          assert.strictEqual((yield* reader.get(`/desk/purchases?${wrong}`)).status, 404, wrong)
      })
    )

    it.effect("A reader who bought nothing is led to something to read", () =>
      Effect.gen(function* () {
        const reader = yield* browser
        yield* signIn(reader, 4)
        const { text } = yield* reader.get("/desk/purchases")
        validated(text)
        assert.include(text, "Find something to read")
      })
    )
  }
)
