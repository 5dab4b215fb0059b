import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { preferenceDefaults } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Unsubscriptions } from "../../../../src/engagement/notifications/mails/Unsubscriptions.ts"
import { Sealer } from "../../../../src/platform/ports/Sealer.ts"
import { database } from "../../../support/Database.ts"
import { BASE_URL, service, TestClient, type TestRequest } from "../../../support/TestClient.ts"
import { validated } from "../../../web/pages/documents.ts"
import { numbered } from "../reader.ts"
import { begin, mailed, personOf, typesTo } from "./mailing.ts"

const open = Effect.fnUntraced(function* (method: string, url: string, request: TestRequest = {}) {
  return yield* (yield* TestClient).send(method, url.slice(BASE_URL.length), request)
})

/** The body that a mail program sends for one click, and a browser for the button of the page. */
const oneClick: TestRequest = {
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: "List-Unsubscribe=One-Click"
}

/** The same in the other form that RFC 8058 allows. */
const multipart: TestRequest = {
  headers: { "content-type": "multipart/form-data; boundary=b" },
  body: '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
}

/** An author with a mail about a Comment of another person. */
const castOf = Effect.fnUntraced(function* (first: number) {
  yield* begin
  const [author, bob] = yield* Effect.all([personOf(first), personOf(first + 1)])
  const post = yield* author.published
  const root = yield* author.say(post)
  yield* bob.say(post)
  const [mail] = yield* mailed
  const choices = Effect.map(author.send("GET", "/notification-preferences"), ({ body }) => body)
  return { author, bob, post, root, url: mail?.unsubscribeUrl ?? "", choices }
})

layer(service(database("test_unsubscribe")))("the link of a mail", (it) => {
  it.effect("GET opens a page that changes nothing, and keeps its address to itself", () =>
    Effect.gen(function* () {
      const { choices, url } = yield* castOf(1)
      assert.isAtMost(url.length, 140)
      for (const method of ["GET", "HEAD", "GET"]) {
        const page = yield* open(method, url)
        assert.strictEqual(page.status, 200)
        assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
        assert.strictEqual(page.headers.get("cache-control"), "private, no-store")
        assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
        assert.match(
          page.headers.get("content-security-policy") ?? "",
          /^default-src 'none'.*form-action 'self'.*frame-ancestors 'none'/
        )
        if (method === "HEAD") continue
        assert.include(page.text, "comments on your posts")
        assert.match(
          page.text,
          /<form method="post">\s*<input type="hidden" name="List-Unsubscribe" value="One-Click"/
        )
        validated(page.text)
      }
      assert.deepStrictEqual(yield* choices, preferenceDefaults)
    })
  )

  it.effect("POST in any form switches the key of the link off, and may be repeated", () =>
    Effect.gen(function* () {
      const { author, bob, choices, post, root, url } = yield* castOf(11)
      for (const request of [oneClick, multipart, {}, oneClick]) {
        const page = yield* open("POST", url, request)
        assert.strictEqual(page.status, 200, page.text)
        assert.include(page.text, "comments on your posts")
        assert.deepStrictEqual(yield* choices, { ...preferenceDefaults, notify_new_comment: false })
      }
      yield* bob.say(post)
      assert.deepStrictEqual(yield* mailed, [])
      // The other kinds still come.
      yield* bob.say(post, "A reply", root)
      assert.deepStrictEqual(typesTo(yield* mailed, author.email), ["comment_reply"])
      // A choice of later is switched off by the same link, as it does not expire.
      yield* author.prefer({ notify_new_comment: true, notify_summaries: false })
      yield* TestClock.adjust("180 days")
      yield* open("POST", url, oneClick)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        select notify_new_comment, notify_summaries, notify_comment_reply, email_notifications
        from notification_preferences where owner_id = ${author.id}`
      assert.deepStrictEqual(rows, [
        {
          notify_new_comment: false,
          notify_summaries: false,
          notify_comment_reply: true,
          email_notifications: true
        }
      ])
    })
  )

  it.effect("The link works for a restricted account, and reveals nothing of a removed account", () =>
    Effect.gen(function* () {
      const { author, choices, url } = yield* castOf(21)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update owners set restricted_at = created_at where id = ${author.id}`
      assert.strictEqual((yield* open("POST", url, oneClick)).status, 200)
      assert.isFalse((yield* choices).notify_new_comment)
      const { urlOf } = yield* Unsubscriptions
      const gone = yield* urlOf(OwnerId.make(numbered(21)), "notify_new_post")
      assert.strictEqual((yield* open("POST", gone, oneClick)).status, 200)
      assert.deepStrictEqual(
        yield* sql`select from notification_preferences where owner_id = ${numbered(21)}`,
        []
      )
    })
  )

  it.effect("A link without the right seal is 404 and changes nothing", () =>
    Effect.gen(function* () {
      const { author, choices, url } = yield* castOf(31)
      const sealer = yield* Sealer
      const sealedText = (text: string) =>
        Effect.map(sealer.seal(text), (bytes) => Buffer.from(bytes).toString("base64url"))
      const sealed = (value: unknown) => sealedText(JSON.stringify(value))
      const digits = author.id.replaceAll("-", "")
      const token = new URL(url).searchParams.get("token") ?? ""
      const tokens = [
        "",
        "x",
        "%3Cscript%3E",
        token.slice(0, -1),
        `${token.startsWith("A") ? "B" : "A"}${token.slice(1)}`,
        Buffer.from(
          JSON.stringify({ use: "unsubscribe", ownerId: author.id, key: "notify_new_comment" })
        ).toString("base64url"),
        yield* sealed({ ownerId: author.id, key: "notify_new_comment" }),
        yield* sealed({ use: "unsubscribe", ownerId: author.id, key: "email_notifications" }),
        yield* sealed({ use: "unsubscribe", ownerId: author.id, key: "in_app_notifications" }),
        yield* sealedText(`unsubscribe z${digits}`),
        yield* sealedText(`unsubscribe c${digits}0`),
        yield* sealedText(`subscribe c${digits}`),
        yield* sealed({
          ownerId: author.id,
          changeId: author.id,
          code: "123456",
          expiresAt: Number.MAX_SAFE_INTEGER
        })
      ]
      const urls = [`${BASE_URL}/unsubscribe`, ...tokens.map((it) => `${BASE_URL}/unsubscribe?token=${it}`)]
      for (const other of urls) {
        for (const method of ["GET", "POST"]) {
          const page = yield* open(method, other)
          assert.strictEqual(page.status, 404, `${method} ${other}`)
          assert.notInclude(page.text, "<script>")
        }
      }
      assert.deepStrictEqual(yield* choices, preferenceDefaults)
    })
  )

  it.effect("A link is useless for other routes, and takes no other method", () =>
    Effect.gen(function* () {
      const { choices, url } = yield* castOf(41)
      const token = new URL(url).searchParams.get("token") ?? ""
      assert.strictEqual((yield* open("GET", `${BASE_URL}/api/v1/me`, { token })).status, 401)
      const confirmation = `${BASE_URL}/auth/v1/verify?token=${token}&type=email_change`
      assert.strictEqual((yield* open("GET", confirmation)).status, 404)
      const put = yield* open("PUT", url, oneClick)
      assert.strictEqual(put.status, 405)
      assert.strictEqual(put.headers.get("allow"), "GET, HEAD, POST, OPTIONS")
      assert.deepStrictEqual(yield* choices, preferenceDefaults)
    })
  )
})
