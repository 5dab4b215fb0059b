import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { act, clean, pathOf, signInAs, site, windowOf } from "./site.ts"

/** Another site, which shows one page. Its host has another name than that of the service. */
const hostileSite = (html: string) =>
  Effect.acquireRelease(
    act(
      () =>
        new Promise<{ readonly origin: string; readonly close: () => Promise<void> }>((resolve) => {
          const server = createServer((_, response) => {
            response.setHeader("content-type", "text/html")
            response.end(html)
          }).listen(0, "127.0.0.1", () => {
            const address = server.address()
            const port = typeof address === "object" && address !== null ? address.port : 0
            resolve({
              origin: `http://localhost:${port}`,
              close: () => {
                server.closeAllConnections()
                return new Promise((closed) => server.close(() => closed()))
              }
            })
          })
        })
    ),
    ({ close }) => act(close)
  )

describe("other sites in a real browser", () => {
  it.live("Another site posts no form as a reader who is signed in, and frames no page", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_hostile")
      const { client, free, origin } = press
      const { page } = yield* windowOf(press)
      yield* signInAs(page, 2)
      const evil = yield* hostileSite(`<!doctype html><title>Evil</title>
        <form method="post" action="${origin}/react/${free.id}">
          <input name="reaction" value="heart"><button>Win</button>
        </form>
        <iframe src="${origin}/sign-out"></iframe>`)
      yield* act(() => page.goto(evil.origin))
      const framed = page.frames().find((frame) => frame !== page.mainFrame())
      assert.isDefined(framed)
      assert.notInclude(yield* act(() => framed!.content()), "Where you're signed in")
      yield* act(() => page.getByRole("button", { name: "Win" }).click())
      yield* act(() => page.getByRole("heading", { name: "That form came from another site" }).waitFor())
      const { body } = yield* client.send("GET", `/api/posts/${free.id}/reactions`)
      assert.strictEqual(body.summary.total, 0)
      // A script of that site reads nothing, and sends nothing.
      yield* act(() => page.goto(evil.origin))
      const outcome = yield* act(() =>
        page.evaluate<string>(
          `fetch("${origin}/react/${free.id}", { method: "POST", credentials: "include", body: new URLSearchParams({ reaction: "heart" }) })
            .then((it) => it.text(), () => "refused")`
        )
      )
      assert.strictEqual(outcome, "refused")
      assert.strictEqual((yield* client.send("GET", `/api/posts/${free.id}/reactions`)).body.summary.total, 0)
      // The reader is signed in as before.
      yield* act(() => page.goto(`${origin}/sign-out`))
      assert.strictEqual(pathOf(page), "/sign-out")
    })
  )

  it.live("A link with a path of another site leads nowhere else after the sign-in", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_redirect")
      const { page } = yield* windowOf(press)
      for (const back of [
        "//localhost:1/x",
        "/\\localhost:1/x",
        "https://localhost:1/x",
        "/.//localhost:1/x"
      ]) {
        yield* signInAs(page, 2, back)
        assert.isTrue(page.url().startsWith(`${press.origin}/`), `${back} ${page.url()}`)
      }
    })
  )
})

/** Texts that try to leave their place: as code, as long as a line without end, and in another direction. */
const TEXTS = [
  {
    title: `</title><script>alert(1)</script> "x" onload='alert(2)'`,
    description: "</p><img src=x onerror=alert(3)>",
    freeContentMarkdown: "`</script><script>alert(4)</script>`"
  },
  {
    title: "W".repeat(150),
    description: "x".repeat(280),
    freeContentMarkdown: `${"word".repeat(400)}\n\n| ${"a | ".repeat(30)}\n| ${"--- | ".repeat(30)}\n\n\`\`\`\n${"long ".repeat(99)}\n\`\`\``
  },
  {
    title: "عنوان".repeat(20),
    description: "وصف\u200f",
    language: "ar",
    freeContentMarkdown: "# نص\n\nabc نص"
  }
]

describe("hostile texts in a real browser", () => {
  it.live("Hostile texts run nothing, and make no page wider than its window", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_hostile_texts")
      const { author, overWire } = press
      const posts = yield* overWire(Effect.forEach(TEXTS, (text) => author.published(text)))
      yield* overWire(author.say(posts[0]!.id, `<script>alert(5)</script> ${"W".repeat(300)}`))
      const of = `/@${author.handle}`
      const first = posts.map(({ slug }) => `${of}/${slug}`)
      const search = `/search?q=${encodeURIComponent(`"><script>alert(6)</script>${"y".repeat(300)}`)}`
      for (const width of [1280, 320]) {
        const tab = yield* windowOf(press, { viewport: { width, height: 800 } })
        for (const path of ["/", "/newest", of, ...first, `${first[0]}/comments`, search]) {
          yield* act(() => tab.page.goto(path))
          yield* clean(tab, `${path} ${width}`)
          assert.isEmpty(yield* act(() => tab.page.locator("script:not([src]):not([type])").all()))
        }
      }
    })
  )
})
