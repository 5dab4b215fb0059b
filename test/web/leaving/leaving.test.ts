import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { registered } from "../../accounts/registrations/flows.ts"
import { eraseDue } from "../../engagement/account-deletion/leaving.ts"
import { authorOf } from "../../support/actors/author.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { database } from "../../support/Database.ts"
import { codeTo, wrongCode } from "../../support/mailbox.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { ACCOUNT, pageOf, send, signedIn } from "../account/pages.ts"
import { browser } from "../browser.ts"
import { askCode, valueOf } from "../signIn.ts"
import { PAGE, signed } from "./signing.ts"

layer(service(database("test_web_leaving")))("the page that deletes an account", (it) => {
  const start = TestClock.setTime(Date.UTC(2026, 10, 21, 5))

  it.effect("A person deletes the account with a signature, comes back, and keeps it", () =>
    Effect.gen(function* () {
      yield* start
      const client = yield* TestClient
      const author = yield* authorOf(1)
      const { slug } = yield* author.published()
      const reader = yield* signedIn(1)
      assert.include(yield* pageOf(reader), `href="${PAGE}"`)
      const text = yield* pageOf(reader, PAGE)
      for (const said of ["1 post", "Go on with my wallet"]) assert.include(text, said)
      assert.notMatch(text, /\b0 (?:buyer|comment|follower|purchase|XNO)/)

      const claim = yield* signed(reader, 1)
      const misnamed = yield* send(reader, PAGE, { ...claim, handle: "author2" })
      assert.strictEqual(misnamed.status, 422)
      assert.include(misnamed.text, "Type author1.")
      const wrong = { ...(yield* signed(reader, 1)), signature: "0".repeat(128), handle: "author1" }
      const refused = yield* send(reader, PAGE, wrong)
      assert.strictEqual(refused.status, 422)
      assert.include(refused.text, "signature doesn&#39;t match")
      const closed = yield* send(reader, PAGE, { ...(yield* signed(reader, 1)), handle: "@author1" })
      assert.strictEqual(closed.status, 200, closed.text)
      assert.include(closed.text, "2026-12-05")
      assert.strictEqual((yield* client.send("GET", `/@author1/${slug}`)).status, 404)
      assert.strictEqual((yield* reader.get(PAGE)).status, 303)

      const back = yield* signedIn(1)
      for (const path of ["/desk", ACCOUNT, "/desk/posts"]) {
        const led = yield* back.get(path)
        assert.deepStrictEqual([led.status, led.headers.get("location")], [303, PAGE], path)
      }
      assert.include(yield* pageOf(back, PAGE), "Keep my account")
      const kept = yield* send(back, `${PAGE}/keep`)
      assert.deepStrictEqual([kept.status, kept.headers.get("location")], [303, ACCOUNT])
      yield* followRestrictions
      assert.strictEqual((yield* client.send("GET", `/@author1/${slug}`)).status, 200)
    })
  )

  it.effect("A person deletes an account by e-mail with the code of a mail", () =>
    Effect.gen(function* () {
      yield* start
      const ada = "ada@example.com"
      const { accessToken } = yield* registered(ada)
      const client = yield* TestClient
      const { body } = yield* client.send("GET", "/api/v1/me", { token: accessToken })
      const { handle } = body.owner
      const reader = yield* browser
      yield* TestClock.adjust("2 minutes")
      const page = valueOf((yield* askCode(reader, { email: ada })).text, "page")
      yield* reader.post("/sign-in", { email: ada, page, code: yield* codeTo(ada) })
      yield* TestClock.adjust("2 minutes")
      assert.include(yield* pageOf(reader, PAGE), "Email me a code")
      const asked = yield* send(reader, PAGE, { step: "begin" })
      assert.strictEqual(asked.status, 200, asked.text)
      assert.include(asked.text, ada)
      const code = yield* codeTo(ada)
      const wrong = yield* send(reader, PAGE, { handle, code: wrongCode(code) })
      assert.strictEqual(wrong.status, 422)
      assert.include(wrong.text, "That code is wrong or has expired.")
      const closed = yield* send(reader, PAGE, { handle, code })
      assert.include(closed.text, "signed out everywhere")
    })
  )

  it.effect("An account whose time is over is not kept, and then is a new one", () =>
    Effect.gen(function* () {
      yield* start
      yield* authorOf(3)
      const reader = yield* signedIn(3)
      yield* send(reader, PAGE, { ...(yield* signed(reader, 3)), handle: "author3" })
      yield* TestClock.adjust("14 days")
      const back = yield* signedIn(3)
      const late = yield* send(back, `${PAGE}/keep`)
      assert.strictEqual(late.status, 409)
      assert.include(late.text, "being erased")
      yield* eraseDue
      assert.strictEqual((yield* back.get(ACCOUNT)).status, 303)
      const again = yield* signedIn(3)
      assert.include(yield* pageOf(again, PAGE), "Go on with my wallet")
    })
  )

  it.effect("A reader without an account goes to the sign-in, and a form of another site is refused", () =>
    Effect.gen(function* () {
      yield* start
      const stranger = yield* browser
      const led = yield* stranger.get(PAGE)
      assert.strictEqual(led.headers.get("location"), `/sign-in?back=${encodeURIComponent(PAGE)}`)
      const client = yield* TestClient
      const foreign = yield* client.send("POST", PAGE, {
        body: "step=begin",
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          origin: "https://evil.example",
          "sec-fetch-site": "cross-site"
        }
      })
      assert.strictEqual(foreign.status, 403)
    })
  )
})
