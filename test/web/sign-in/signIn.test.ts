import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Api } from "../../../schemas/Api.ts"
import { registered } from "../../accounts/registrations/flows.ts"
import { lookSoon, sale } from "../../payments/sessions/sessionWorld.ts"
import { database } from "../../support/Database.ts"
import { codeTo, wrongCode } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { validated } from "../pages/documents.ts"
import { askCode, signIn, valueOf } from "../signIn.ts"

layer(service(database("test_reading_sign_in")))("signing in with a browser", (it) => {
  it.effect("A wallet signs a text, and the cookie then identifies the reader", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      const page = yield* reader.get("/sign-in?back=/sign-out")
      assert.strictEqual(page.status, 200)
      assertPrivate(page)
      validated(page.text)
      const { answer, signed } = yield* signIn(reader, 700, "/sign-out")
      assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/sign-out"])
      assertPrivate(answer)
      const [cookie] = [...reader.jar.values()]
      assert.deepStrictEqual([cookie!.name, cookie!.path], ["__Host-pp", "/"])
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly row: string }>`select b::text as row from browser_sessions b`
      assert.lengthOf(rows, 1)
      assert.notInclude(rows[0]!.row, cookie!.value)
      const list = yield* reader.get("/sign-out", { "user-agent": "x" })
      validated(list.text)
      assert.include(list.text, "(this browser)")

      // The signature counts once.
      const other = yield* browser
      assert.strictEqual((yield* other.post("/sign-in", signed)).status, 403)
      assert.strictEqual(other.jar.size, 0)
    })
  )

  it.effect("An address gets the same answer with or without an account, and wrong codes open nothing", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      const texts = []
      for (const email of ["ada@example.test", "bob@example.test"]) {
        const asked = yield* askCode(reader, { email })
        const plain = (text: string) =>
          text.replaceAll(email, "…").replaceAll(valueOf(asked.text, "page"), "page")
        assertPrivate(asked)
        texts.push(plain(asked.text))
        const wrong = yield* reader.post("/sign-in", {
          email,
          page: valueOf(asked.text, "page"),
          code: "000000"
        })
        assert.strictEqual(wrong.status, 403)
        validated(wrong.text)
        texts.push(plain(wrong.text))
      }
      assert.deepStrictEqual([texts[0], texts[1]], [texts[2], texts[3]])
      for (const fields of [{}, { email: "x" }, { account: "nano_x" }, { email: "<b>", code: "1" }]) {
        const { status, text } = yield* reader.post("/sign-in", fields)
        assert.strictEqual(status, 400)
        validated(text)
      }
      assert.strictEqual(reader.jar.size, 0)
    })
  )

  it.effect("The code of a mail signs in to the account of its address", () =>
    Effect.gen(function* () {
      const email = "eve@example.org"
      yield* registered(email)
      const reader = yield* browser
      const { text } = yield* askCode(reader, { email, back: "/newest" })
      const code = yield* codeTo(email)
      const form = { email, back: "/newest", page: valueOf(text, "page") }
      const wrong = yield* reader.post("/sign-in", { ...form, code: wrongCode(code) })
      assert.strictEqual(wrong.status, 403)
      const opened = yield* reader.post("/sign-in", { ...form, code })
      assert.deepStrictEqual([opened.status, opened.headers.get("location")], [303, "/newest"])
      assert.include((yield* reader.get("/sign-out")).text, "(this browser)")
    })
  )

  it.effect("A sign-in goes back only to paths of this service", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      for (const back of [
        "//evil.test",
        "/\\evil.test",
        "https://evil.test/",
        "javascript:alert(1)",
        "/\t/evil.test",
        "x"
      ]) {
        const page = yield* reader.get(`/sign-in?back=${encodeURIComponent(back)}`)
        assert.strictEqual(valueOf(page.text, "back"), "/desk", back)
      }
      const { answer } = yield* signIn(reader, 701, "//evil.test/x")
      assert.strictEqual(answer.headers.get("location"), "/desk")
    })
  )

  it.effect("An owner ends this session and their others, but not another owner's", () =>
    Effect.gen(function* () {
      const [laptop, phone, stranger] = [yield* browser, yield* browser, yield* browser]
      yield* signIn(laptop, 702)
      yield* TestClock.adjust("1 second")
      yield* signIn(phone, 702)
      yield* signIn(stranger, 703)
      const idOf = (text: string) =>
        [...text.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id!)
      const ids = idOf((yield* laptop.get("/sign-out")).text)
      assert.lengthOf(ids, 2)
      yield* stranger.post("/sign-out", { session: ids[0]! })
      assert.lengthOf(idOf((yield* phone.get("/sign-out")).text), 2)
      // The newest is the phone.
      const ended = yield* laptop.post("/sign-out", { session: ids[0]! })
      assert.strictEqual(ended.headers.get("location"), "/sign-out")
      assert.strictEqual((yield* phone.get("/sign-out")).status, 303)
      assert.strictEqual((yield* laptop.post("/sign-out")).headers.get("location"), "/")
      assert.strictEqual(laptop.jar.size, 0)
      assert.strictEqual((yield* stranger.get("/sign-out")).status, 200)
      yield* TestClock.adjust("30 days")
      assert.strictEqual((yield* stranger.get("/sign-out")).status, 303)
      const forged = yield* stranger.post("/sign-out", {}, { "sec-fetch-site": "cross-site" })
      assert.strictEqual(forged.status, 403)
    })
  )

  it.effect("An account reads what it bought in every browser", () =>
    Effect.gen(function* () {
      const { payer, postId } = yield* sale
      const [laptop, phone] = [yield* browser, yield* browser]
      yield* signIn(laptop, 704)
      const begun = yield* laptop.post(`/read/${postId}/buy`)
      const path = begun.headers.get("location")!
      const [, payTo = "", amount = ""] =
        /nano:(nano_\w+)\?amount=(\d+)/.exec((yield* laptop.get(path)).text) ?? []
      yield* payer.pay(payTo as never, BigInt(amount))
      yield* lookSoon
      assert.strictEqual((yield* laptop.get(path)).headers.get("location"), `/read/${postId}#rest`)
      assert.include((yield* laptop.get(`/read/${postId}`)).text, "It&#39;s in your account")
      assert.strictEqual((yield* phone.get(`/read/${postId}`)).status, 403)
      yield* signIn(phone, 704)
      assert.include((yield* phone.get(`/read/${postId}`)).text, "It&#39;s in your account")
      // It is not sold to the account again.
      assert.strictEqual(
        (yield* phone.post(`/read/${postId}/buy`)).headers.get("location"),
        `/read/${postId}`
      )
    })
  )

  it.effect("No operation of the API and no tool server looks at a cookie", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const reader = yield* browser
      yield* signIn(reader, 705)
      const { value } = [...reader.jar.values()][0]!
      const cookie = `__Host-pp=${value}; pp=${value}`
      const paths: Array<readonly [string, string]> = []
      HttpApi.reflect(Api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint }) =>
          paths.push([
            endpoint.method,
            endpoint.path.replaceAll(/:\w+/g, "018f0000-0000-7000-8000-000000000000")
          ])
      })
      assert.isAbove(paths.length, 100)
      const answerOf = Effect.fnUntraced(function* (
        method: string,
        path: string,
        headers: Readonly<Record<string, string>>
      ) {
        const {
          headers: got,
          status,
          text
        } = yield* client.send(method, path, {
          headers,
          ...(method === "GET" ? {} : { body: {} })
        })
        assert.isEmpty(got.getSetCookie())
        return [
          status,
          text.replaceAll(/"(challengeId|message|issuedAt|expiresAt|instance|requestId)":"[^"]*"/g, "")
        ]
      })
      for (const [method, path] of [...paths, ["POST", "/mcp"] as const]) {
        const without = yield* answerOf(method, path, {})
        assert.deepStrictEqual(yield* answerOf(method, path, { cookie }), without, `${method} ${path}`)
      }
      for (const token of [value, `Bearer ${value}`]) {
        const { status } = yield* client.send("GET", "/api/v1/purchases", { token })
        assert.strictEqual(status, 401)
      }
      // Public pages are the same bytes with a cookie.
      const home = yield* client.send("GET", "/newest", { headers: { cookie } })
      assert.strictEqual(home.text, (yield* client.send("GET", "/newest")).text)
    })
  )
})
