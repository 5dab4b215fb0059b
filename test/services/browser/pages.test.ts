import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commenterOf } from "../../support/actors/commenter.ts"
import { TestClient } from "../../support/TestClient.ts"
import { started } from "../../wire/server.ts"
import { clientOver } from "../uploadClient.ts"
import { APPEARANCES, browser, tabOf, violations } from "./browser.ts"

const TEXT = `# One

A *penny* for [your thoughts](https://example.test).

\`\`\`ts
const price: string = "0.25" // exact, and a line that is longer than a phone is wide, so that it scrolls
\`\`\`

| Year | Paper |
| :--- | ---: |
| 1833 | The Sun |

> Quoted.
`

/** The service with a free Post, a paid one, and a discussion. */
const press = Effect.gen(function* () {
  const { origin } = yield* started("test_services_browser")
  const overWire = Effect.provideService(TestClient, clientOver(origin))
  const author = yield* commenterOf(1).pipe(overWire)
  const free = yield* author.published({ title: "On pennies", freeContentMarkdown: TEXT }).pipe(overWire)
  const paid = {
    title: "Eleven lighthouses",
    freeContentMarkdown: "The teaser.",
    paidContentMarkdown: "The rest.",
    enablePaywall: true,
    priceXno: "0.25"
  }
  const sold = yield* author.published(paid).pipe(overWire)
  const comment = yield* author.say(free.id, "Said").pipe(overWire)
  yield* author.say(free.id, "Answered", { parent: comment.id }).pipe(overWire)
  const post = `/@${author.handle}/${free.slug}`
  const paths = [
    "/",
    "/newest",
    "/agents",
    "/categories",
    "/leaderboards",
    "/search?q=pennies",
    "/feeds",
    "/about",
    `/@${author.handle}`,
    post,
    `${post}/comments`,
    `/@${author.handle}/${sold.slug}`,
    "/problems/validation",
    "/@nobody_here"
  ]
  return { origin, post, paths }
})

const evaluated = <A>(run: () => Promise<A>) => Effect.promise(run)

describe("the pages in a real browser", () => {
  it.live("The analyzer axe finds nothing on public pages, light and dark, wide and narrow", () =>
    Effect.gen(function* () {
      const { origin, paths } = yield* press
      const opened = yield* browser
      for (const { colorScheme, width } of APPEARANCES) {
        const tab = yield* tabOf(opened, { colorScheme, viewport: { width, height: 800 } })
        for (const path of paths) {
          const name = `${path} ${colorScheme} ${width}`
          const answer = yield* evaluated(() => tab.page.goto(origin + path))
          assert.deepStrictEqual(yield* violations(tab), [], name)
          const beyond = yield* evaluated(() =>
            tab.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
          )
          assert.isAtMost(beyond, 0, name)
          // The browser reports the status of a page that is not there.
          if (answer?.status() === 200) assert.deepStrictEqual(tab.errors, [], name)
        }
      }
    })
  )

  it.live("Pages refuse scripts, handlers and styles that are not theirs", () =>
    Effect.gen(function* () {
      const { origin, post } = yield* press
      const { page } = yield* tabOf(yield* browser, {})
      yield* evaluated(() => page.goto(origin + post))
      const attacks = [
        `document.body.innerHTML = "<img src=x onerror=alert(1)>"`,
        `document.head.append(Object.assign(document.createElement("script"), { text: "window.ran = true" }))`,
        `document.body.setAttribute("onclick", "window.ran = true")`
      ]
      for (const attack of attacks) {
        const outcome = yield* evaluated(() =>
          page.evaluate<string>(
            `(() => { try { ${attack}; return "done" } catch (error) { return error.name } })()`
          )
        )
        const ran = yield* evaluated(() => page.evaluate<boolean>("window.ran === true"))
        assert.isFalse(ran, attack)
        assert.notStrictEqual(outcome, "done", attack)
      }
      const colour = yield* evaluated(() =>
        page.evaluate<string>(`(() => {
          const style = document.createElement("style")
          style.textContent = "body { color: rgb(1, 2, 3) !important }"
          document.head.append(style)
          return getComputedStyle(document.body).color
        })()`)
      )
      assert.notStrictEqual(colour, "rgb(1, 2, 3)")
    })
  )

  it.live("Pages are read without a script, and by the keyboard from the first link on", () =>
    Effect.gen(function* () {
      const { origin, post } = yield* press
      const opened = yield* browser
      const { page } = yield* tabOf(opened, { javaScriptEnabled: false })
      yield* evaluated(() => page.goto(origin + post))
      assert.include(yield* evaluated(() => page.innerText("main")), "A penny for your thoughts")

      const keyed = yield* tabOf(opened, {})
      yield* evaluated(() => keyed.page.goto(`${origin}/`))
      const focused = evaluated(() =>
        keyed.page.evaluate<string>("document.activeElement.className || document.activeElement.tagName")
      )
      yield* evaluated(() => keyed.page.keyboard.press("Tab"))
      assert.strictEqual(yield* focused, "skip")
      yield* evaluated(() => keyed.page.keyboard.press("Enter"))
      assert.strictEqual(
        yield* evaluated(() => keyed.page.evaluate<string>("document.activeElement.id")),
        "main"
      )
    })
  )

  it.live("A page takes three requests, all to its own host", () =>
    Effect.gen(function* () {
      const { origin, post } = yield* press
      const { page } = yield* tabOf(yield* browser, {})
      const urls: Array<string> = []
      page.on("request", (request) => urls.push(request.url()))
      yield* evaluated(() => page.goto(origin + post, { waitUntil: "networkidle" }))
      const loaded = urls.filter((url) => !url.includes("/assets/icon."))
      assert.strictEqual(loaded.length, 3, loaded.join(" "))
      for (const url of urls) assert.isTrue(url.startsWith(origin), url)
    })
  )
})
