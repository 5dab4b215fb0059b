import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { deskAuthor } from "../desk/author.ts"
import { validated } from "../pages/documents.ts"
import { signIn } from "../signIn.ts"
import { moderatorOf } from "./actors.ts"

const ID = "018f0000-0000-7000-8000-000000000000"

const hiddenPaths = Effect.map(ServicePaths, ({ all }) =>
  [...all().values()]
    .filter(({ isHidden }) => isHidden)
    .map(({ methods, template }) => ({ methods, path: template.replace(/:\w+/, ID) }))
)

/** Returns all that an answer tells, without the name of the request. */
const toldBy = ({ headers, status, text }: TestAnswer) => ({
  status,
  text: text.replaceAll(/[0-9a-f-]{36}/g, ""),
  headers: Object.fromEntries([...headers].filter(([name]) => name !== "x-request-id"))
})

layer(service(database("test_moderate_hidden"), 1, { adminToken: ADMIN_TOKEN }))(
  "The room of moderators",
  (it) => {
    it.effect("The room answers anyone but moderators like a path that does not exist", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const admin = yield* administrator()
        const hidden = yield* hiddenPaths
        assert.lengthOf(hidden, 9)
        const reader = yield* deskAuthor(1)
        const restricted = yield* moderatorOf(2)
        yield* admin["accounts.restrict"]({ handle: restricted.handle, reason: "Unsafe" })
        const removed = yield* moderatorOf(3)
        assert.strictEqual((yield* removed.reader.get("/moderate")).status, 200)
        yield* admin["moderators.remove"]({ handle: removed.handle, reason: "Left" })
        const stranger = yield* browser
        const cookies = [stranger, reader.reader, restricted.reader, removed.reader].map(({ jar }) =>
          [...jar.values()]
            .filter(({ path }) => path === "/")
            .map(({ name, value }) => `${name}=${value}`)
            .join("; ")
        )
        const forms = [
          { accept: "text/html" },
          { accept: "*/*" },
          { accept: "application/json" },
          { accept: "text/html", "sec-fetch-site": "cross-site", origin: "https://evil.test" }
        ]
        for (const { path } of hidden)
          for (const cookie of cookies)
            for (const more of forms)
              for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]) {
                const headers = {
                  ...more,
                  ...(cookie === "" ? {} : { cookie }),
                  ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {})
                }
                const request = { headers, ...(method === "POST" ? { body: "do=hide&reason=x" } : {}) }
                const found = yield* client.send(method, `${path}?id=${ID}`, request)
                const none = yield* client.send(method, `/no-such-page?id=${ID}`, request)
                assert.deepStrictEqual(toldBy(found), toldBy(none), `${method} ${path}`)
                assert.strictEqual(found.status, 404)
              }
        for (const spelled of ["/moderate/", "/%6Doderate", "//moderate", "/moderate;x", "/Moderate"]) {
          const found = yield* client.send("GET", spelled, { headers: { accept: "text/html" } })
          assert.strictEqual(found.status, 404, spelled)
        }
      })
    )

    it.effect(
      "A moderator whose session ended is asked to sign in, and an account that was none is not",
      () =>
        Effect.gen(function* () {
          const moderator = yield* moderatorOf(10)
          const reader = yield* deskAuthor(11)
          for (const { reader: tab, number } of [moderator, reader]) {
            const ended = yield* browser
            yield* signIn(ended, number)
            const jar = [...ended.jar]
            yield* ended.post("/sign-out")
            for (const [key, cookie] of jar) ended.jar.set(key, cookie)
            const shown = yield* ended.get("/moderate/log?after=x")
            if (tab === moderator.reader) {
              assert.strictEqual(shown.status, 303)
              const back = encodeURIComponent("/moderate/log?after=x")
              assert.strictEqual(shown.headers.get("location"), `/sign-in?back=${back}`)
            } else assert.strictEqual(shown.status, 404)
          }
        })
    )

    it.effect("The pages of the room are private, valid, and in the menu of moderators alone", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const moderator = yield* moderatorOf(20)
        const reader = yield* deskAuthor(21)
        for (const path of (yield* hiddenPaths)
          .filter(({ methods }) => methods.has("GET"))
          .map(({ path }) => path)) {
          const answer = yield* moderator.reader.get(path)
          assert.strictEqual(answer.status, path.endsWith(ID) ? 404 : 200, path)
          if (answer.status === 200) assertPrivate(answer)
          validated(answer.text)
          assert.isEmpty(answer.headers.getSetCookie())
        }
        for (const [path, query] of [
          ["/moderate", "status=resolved"],
          ["/moderate", "status=nonsense"],
          ["/moderate/accounts", "handle=%00"],
          ["/moderate/accounts", `handle=${"x".repeat(5000)}`],
          ["/moderate/accounts", "handle=<b>nobody</b>"],
          ["/moderate/accounts", `id=${ID}&done=restrict`],
          ["/moderate/uploads", `id=${ID}&done=hold`],
          ["/moderate/uploads", "id=x&done=__proto__"]
        ] as const) {
          const answer = yield* moderator.reader.get(`${path}?${query}`)
          assert.strictEqual(answer.status, 200, `${path} ${query}`)
          validated(answer.text)
        }
        for (const path of [
          "/moderate?after=x",
          "/moderate/log?after=x",
          `/moderate/log?after=${"x".repeat(5000)}`
        ])
          assert.strictEqual((yield* moderator.reader.get(path)).status, 404, path)

        const rooms = [...(yield* ServicePaths).all().values()].filter(
          ({ methods, template }) =>
            /^\/desk(?:\/|$)/.test(template) && methods.has("GET") && !/csv$|zip$|:/.test(template)
        )
        assert.lengthOf(rooms, 15)
        for (const { template } of rooms) {
          assert.include((yield* moderator.reader.get(template)).text, 'href="/moderate"', template)
          assert.notInclude((yield* reader.reader.get(template)).text, "/moderate", template)
        }
        for (const path of ["/", "/robots.txt", "/llms.txt", "/openapi.json", "/sitemap.xml", "/about"])
          assert.notInclude((yield* client.send("GET", path)).text, "/moderate", path)
      })
    )
  }
)
