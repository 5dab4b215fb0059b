import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, service, TestClient, type TestAnswer } from "../../support/TestClient.ts"
import { assertPrivate, browser } from "../browser.ts"
import { signIn, valueOf } from "../signIn.ts"

const ID = "018f0000-0000-7000-8000-000000000000"

/** Every private page of the service, and every form behind one. */
const privatePaths = Effect.map(ServicePaths, ({ all }) =>
  [...all().values()]
    .filter(({ isHidden, isPrivate }) => isPrivate && !isHidden)
    .flatMap(({ methods, template }) =>
      [...methods].map((method) => [method, template.replaceAll(/:[A-Za-z]+/g, ID)] as const)
    )
)
const privateForms = Effect.map(privatePaths, (paths) =>
  paths.filter(([method]) => method === "POST").map(([, path]) => path)
)

/** Headers of forms that other sites, and programs without a page, send. */
const FORGED: ReadonlyArray<Readonly<Record<string, string>>> = [
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "same-origin, cross-site" },
  { "sec-fetch-site": "cross-site", origin: BASE_URL },
  { "sec-fetch-site": "", origin: BASE_URL },
  {},
  { origin: "null" },
  { origin: "https://evil.test" },
  { origin: `${BASE_URL}.evil.test` },
  { origin: BASE_URL.replace("https:", "http:") },
  { referer: `${BASE_URL}/sign-in` }
]

const assertUnframed = ({ headers }: TestAnswer) =>
  assert.include(headers.get("content-security-policy") ?? "", "frame-ancestors 'none'")

layer(service(database("test_reading_security")))("private pages", (it) => {
  it.effect("A private page takes no form of another site, with any reader signed in", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const reader = yield* browser
      yield* signIn(reader, 1)
      const { name, value } = [...reader.jar.values()][0]!
      const forms = yield* privateForms
      assert.isAbove(forms.length, 14)
      for (const path of forms)
        for (const headers of FORGED) {
          const answer = yield* client.send("POST", path, {
            headers: {
              accept: "text/html",
              "content-type": "application/x-www-form-urlencoded",
              cookie: `${name}=${value}`,
              ...headers
            },
            body: "reaction=heart&account=x&email=a%40b.test"
          })
          assert.strictEqual(answer.status, 403, `${path} ${JSON.stringify(headers)}`)
          assert.isEmpty(answer.headers.getSetCookie())
          assertPrivate(answer)
          assertUnframed(answer)
        }
      // An older browser, which names the origin alone, is served.
      const old = yield* client.send("POST", "/sign-out", {
        headers: { "content-type": "application/x-www-form-urlencoded", origin: BASE_URL },
        body: ""
      })
      assert.strictEqual(old.status, 303)
    })
  )

  it.effect("A private page is in no cache and no frame, and read by no other site, even in errors", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const reader = yield* browser
      yield* signIn(reader, 2)
      for (const [method, path] of yield* privatePaths) {
        const answer = yield* method === "GET" ? reader.get(path) : reader.post(path, { key: ID, text: "x" })
        // The address of a private feed is a secret, so no other page learns it.
        if (path.startsWith("/feeds/"))
          assert.strictEqual(answer.headers.get("referrer-policy"), "no-referrer")
        else assertPrivate(answer)
        assertUnframed(answer)
        const wrong = yield* client.send("DELETE", path, { headers: { accept: "text/html" } })
        assert.strictEqual(wrong.status, 405, path)
        assert.strictEqual(wrong.headers.get("cache-control"), "private, no-store")
        const preflight = yield* client.send("OPTIONS", path, {
          headers: { origin: "https://evil.test", "access-control-request-method": method }
        })
        assert.isNull(preflight.headers.get("access-control-allow-origin"), path)
      }
    })
  )

  it.effect("A private page goes on only to paths of this service", () =>
    Effect.gen(function* () {
      const reader = yield* browser
      yield* signIn(reader, 3)
      const hostile = [
        "//evil.test",
        "///evil.test",
        "/\\evil.test",
        "\\\\evil.test",
        "https://evil.test",
        "https:evil.test",
        "javascript:alert(1)",
        "data:text/html,x",
        "/\t/evil.test",
        "/\n/evil.test",
        "/%0d%0aset-cookie:a=b/..//evil.test",
        "/.//evil.test",
        "/x/..//evil.test",
        "@evil.test",
        " //evil.test",
        ""
      ]
      for (const back of hostile) {
        for (const path of ["/sign-in", "/profile"]) {
          const { text } = yield* reader.get(`${path}?back=${encodeURIComponent(back)}`)
          const to = new URL(valueOf(text, "back").replaceAll("&amp;", "&"), BASE_URL)
          assert.strictEqual(to.origin, BASE_URL, `${path} ${back}`)
        }
        const stranger = yield* browser
        const { answer } = yield* signIn(stranger, 3, back)
        const location = answer.headers.get("location") ?? ""
        assert.strictEqual(new URL(location, BASE_URL).origin, BASE_URL, back)
        assert.isNull(/[\r\n]/.exec(location))
      }
    })
  )

  it.effect("A sign-in takes no token that the browser showed before, and ends its session", () =>
    Effect.gen(function* () {
      const victim = yield* browser
      const { name } = yield* Effect.map(signIn(victim, 4), () => [...victim.jar.values()][0]!)
      const planted = [...victim.jar.values()][0]!.value
      yield* signIn(victim, 5)
      assert.notStrictEqual([...victim.jar.values()][0]!.value, planted)
      const attacker = yield* browser
      const shown = yield* attacker.get("/sign-out", { cookie: `${name}=${planted}` })
      assert.strictEqual(shown.status, 303)
      for (const value of ["ppb_x", "x".repeat(4000), "%00", `${planted}x`]) {
        const odd = yield* attacker.get("/sign-out", { cookie: `${name}=${value}` })
        assert.strictEqual(odd.status, 303, value.slice(0, 20))
      }
      // The name without the prefix, which a neighbouring host may set, is another cookie.
      const own = [...victim.jar.values()][0]!.value
      const plain = yield* attacker.get("/sign-out", { cookie: `pp=${own}` })
      assert.strictEqual(plain.status, 303)
    })
  )

  it.effect("A public page reads no cookie, and sets none", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* authorOf(6)
      const { slug } = yield* author.published()
      const reader = yield* browser
      yield* signIn(reader, 6)
      const { name, value } = [...reader.jar.values()][0]!
      for (const path of ["/", `/@${author.handle}`, `/@${author.handle}/${slug}`, "/search?q=pennies"]) {
        const accept = "text/html"
        const signedIn = yield* client.send("GET", path, { headers: { accept, cookie: `${name}=${value}` } })
        const anonymous = yield* client.send("GET", path, { headers: { accept } })
        assert.strictEqual(signedIn.text, anonymous.text, path)
        assert.isEmpty(signedIn.headers.getSetCookie())
        assertUnframed(signedIn)
      }
    })
  )
})
