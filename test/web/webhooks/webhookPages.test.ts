import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { eventOf, receiverOf, takeTurns } from "../../engagement/webhooks/receiver.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { pageOf, send, signedIn } from "../account/pages.ts"
import { browser } from "../browser.ts"
import { valueOf } from "../signIn.ts"

const WEBHOOKS = "/desk/webhooks"

const secretIn = (text: string) => /whsec_[A-Za-z0-9+/]{43}=/.exec(text)?.[0]

/** Creates a webhook by the form, for the owner of this number. */
const scene = Effect.fnUntraced(function* (number: number) {
  const owner = yield* receiverOf(number)
  const desk = yield* signedIn(number)
  const key = valueOf(yield* pageOf(desk, WEBHOOKS), "key")
  const fields = { key, url: owner.url, description: "Shop", "post.published": "1" }
  const made = yield* send(desk, WEBHOOKS, fields)
  assert.strictEqual(made.status, 200, made.text)
  const [webhook] = (yield* owner.list).body.webhooks
  const path = `${WEBHOOKS}/${webhook.id}`
  return { desk, fields, made, owner, path, webhook }
})

layer(service(database("test_web_webhooks")))("pages of webhooks", (it) => {
  it.effect("The form creates a webhook whose secret is shown once, and a second press shows the same", () =>
    Effect.gen(function* () {
      const { desk, fields, made, owner, path, webhook } = yield* scene(1)
      assert.deepInclude(webhook, { url: owner.url, events: ["post.published"], description: "Shop" })
      const secret = secretIn(made.text)
      assert.isDefined(secret)
      assert.strictEqual(secretIn((yield* send(desk, WEBHOOKS, fields)).text), secret)
      for (const page of [yield* pageOf(desk, WEBHOOKS), yield* pageOf(desk, path)]) {
        assert.isUndefined(secretIn(page))
        assert.include(page, "receiver-1.example")
      }
      assert.lengthOf((yield* owner.list).body.webhooks, 1)
      assert.include(yield* pageOf(desk, "/desk/account"), WEBHOOKS)
      const rotated = yield* send(desk, path, { act: "secret" })
      assert.notStrictEqual(secretIn(rotated.text), secret)
      assert.lengthOf((yield* owner.read(webhook.id)).body.secrets, 2)
    })
  )

  it.effect("A URL that is refused stays in the form with the reason", () =>
    Effect.gen(function* () {
      const { desk, path, webhook } = yield* scene(2)
      const key = valueOf(yield* pageOf(desk, WEBHOOKS), "key")
      const wrong = { url: "http://plain.example/<b>", description: "" }
      const created = yield* send(desk, WEBHOOKS, { key, ...wrong })
      const changed = yield* send(desk, path, { act: "change", ...wrong })
      for (const { status, text } of [created, changed]) {
        assert.strictEqual(status, 422)
        assert.include(text, "http://plain.example/&lt;b&gt;")
        assert.include(text, "Use an https URL")
      }
      const fine = yield* send(desk, path, { act: "change", url: "https://other.example/" })
      assert.strictEqual(fine.headers.get("location"), `${path}?done=change`)
      assert.include(yield* pageOf(desk, path), "other.example")
      assert.isString(webhook.id)
    })
  )

  it.effect("An owner sees that a server fails, repairs it, and sends what was missed", () =>
    Effect.gen(function* () {
      const { desk, owner, path, webhook } = yield* scene(3)
      yield* owner.answers({ status: 500 })
      const pressed = yield* send(desk, path, { act: "test" })
      assert.strictEqual(pressed.headers.get("location"), `${path}?done=test`)
      yield* takeTurns
      const failing = yield* pageOf(desk, path)
      assert.include(failing, "Failing since")
      assert.include(failing, "your server answered 500")
      yield* owner.answers({ status: 410 })
      yield* TestClock.adjust("5 seconds")
      yield* takeTurns
      assert.include(yield* pageOf(desk, path), "your server answered 410, which means that it is gone")
      yield* owner.answers({ status: 200 })
      const on = yield* send(desk, path, { act: "catch_up" })
      assert.strictEqual(on.headers.get("location"), `${path}?done=catch_up`)
      const [delivery] = (yield* owner.log(webhook.id)).body.data
      yield* send(desk, path, { act: "again", delivery: delivery.id })
      yield* takeTurns
      const works = yield* pageOf(desk, path)
      assert.include(works, "It works.")
      assert.include(works, "Delivered")
      assert.strictEqual(eventOf((yield* owner.posted).at(-1)!).type, "webhook.test")
      assert.include((yield* send(desk, path, { act: "off" })).headers.get("location") ?? "", "done=off")
      assert.include(
        (yield* send(desk, path, { act: "test" })).headers.get("location") ?? "",
        "done=disabled"
      )
      assert.include(yield* pageOf(desk, path), "You turned it off.")
      yield* send(desk, path, { act: "on" })
      assert.strictEqual((yield* owner.read(webhook.id)).body.state, "active")
      yield* send(desk, path, { act: "remove" })
      assert.strictEqual((yield* desk.get(path)).status, 404)
    })
  )

  it.effect(
    "Every form is refused without a session, to others, from other sites, and to a restricted owner",
    () =>
      Effect.gen(function* () {
        const { desk, owner, path, webhook } = yield* scene(4)
        const { id: delivery } = (yield* owner.test(webhook.id)).body
        yield* takeTurns
        const before = JSON.stringify((yield* owner.read(webhook.id)).body)
        const key = valueOf(yield* pageOf(desk, WEBHOOKS), "key")
        const stranger = yield* signedIn(5)
        const strange = yield* browser
        const forms: ReadonlyArray<readonly [string, Record<string, string>]> = [
          ...["test", "off", "on", "catch_up", "change", "secret", "remove", "again"].map(
            (act) => [path, { act, delivery, url: "https://other.example/" }] as const
          ),
          [WEBHOOKS, { key, url: "https://other.example/", description: "" }]
        ]
        for (const [target, fields] of forms) {
          const signedOut = yield* strange.post(target, fields)
          assert.include([303, 401], signedOut.status, fields["act"])
          if (target === path) assert.strictEqual((yield* stranger.post(target, fields)).status, 404)
          const foreign = yield* desk.post(target, fields, { "sec-fetch-site": "cross-site" })
          assert.strictEqual(foreign.status, 403)
        }
        const sql = yield* SqlClient.SqlClient
        yield* sql`update owners set restricted_at = created_at where id = ${owner.id}`
        for (const [target, fields] of forms)
          assert.strictEqual((yield* desk.post(target, fields)).status, 403, fields["act"])
        yield* sql`update owners set restricted_at = null where id = ${owner.id}`
        assert.strictEqual(JSON.stringify((yield* owner.read(webhook.id)).body), before)
        assert.lengthOf((yield* owner.list).body.webhooks, 1)
      })
  )
})
