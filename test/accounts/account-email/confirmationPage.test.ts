import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { signIn } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { codeTo, linkTo } from "../../support/mailbox.ts"
import { BASE_URL, service, TestClient } from "../../support/TestClient.ts"
import { emailOf } from "./flows.ts"

layer(service(database("test_confirmation_page")))("the page of a confirmation link (4.1.6)", (it) => {
  const open = Effect.fnUntraced(function* (link: string) {
    return yield* (yield* TestClient).send("GET", link.slice(BASE_URL.length))
  })

  it.effect("The page shows the code and changes nothing, even when it is opened repeatedly", () =>
    Effect.gen(function* () {
      const account = yield* emailOf((yield* signIn(1)).accessToken)
      const email = "ada@example.org"
      yield* account.change({ email })
      const [code, link] = [yield* codeTo(email), yield* linkTo(email)]
      for (let i = 0; i < 7; i++) {
        const page = yield* open(link)
        assert.strictEqual(page.status, 200)
        assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
        assert.include(page.text, code)
        assert.include(page.text, `href="${BASE_URL}/desk/account"`)
      }
      assert.strictEqual((yield* account.read).body.email, null)
      assert.strictEqual((yield* account.verify({ code })).status, 200)
    })
  )

  it.effect("The page is not cached, loads nothing and keeps its address out of referrers", () =>
    Effect.gen(function* () {
      const account = yield* emailOf((yield* signIn(2)).accessToken)
      yield* account.change({ email: "bea@example.org" })
      const { headers } = yield* open(yield* linkTo("bea@example.org"))
      assert.strictEqual(headers.get("cache-control"), "private, no-store")
      assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'/)
      assert.strictEqual(headers.get("referrer-policy"), "no-referrer")
    })
  )

  it.effect("The page does not distinguish expired, foreign and other invalid links", () =>
    Effect.gen(function* () {
      const account = yield* emailOf((yield* signIn(3)).accessToken)
      yield* account.change({ email: "cleo@example.org" })
      const [code, link] = [yield* codeTo("cleo@example.org"), yield* linkTo("cleo@example.org")]
      const other = [
        link.replace("email_change", "signup"),
        link.replace(/token=\w{4}/, "token=AAAA"),
        `${BASE_URL}/auth/v1/verify`,
        `${BASE_URL}/auth/v1/verify?token=%3Cscript%3E&type=email_change`
      ]
      for (const url of other) {
        const page = yield* open(url)
        assert.strictEqual(page.status, 404, url)
        assert.notInclude(page.text, code)
        assert.notInclude(page.text, "<script>")
      }
      yield* TestClock.adjust(599_999)
      assert.strictEqual((yield* open(link)).status, 200)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* open(link)).status, 404)
    })
  )
})
