import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { ServicePaths } from "../../../src/platform/http/ServicePaths.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { act, signInAs, site, windowOf } from "./site.ts"

/** Amounts as a browser pays them: the last digits name the payment. */
const EARNED = "123456250000000000000000000000123456"

const NAME = "Wolfeschlegelsteinhausenbergerdorffwelchevoralter"

/** All pages that a browser opens, as an assembly of the service declares them. */
const pageTemplates = Effect.map(ServicePaths, ({ all }) =>
  [...all().values()]
    .filter(({ isPage, methods }) => isPage && methods.has("GET"))
    .map(({ template }) => template)
).pipe(Effect.provide(service(database("test_services_narrow_paths"))))

/** Pages whose addresses come with an action, such as the files of a purchase, and what is no page. */
const ELSEWHERE = new Set([
  "/desk/account/export.zip",
  "/desk/import/:importId",
  "/desk/import/:importId/:itemId",
  "/desk/import/:importId/redirects",
  "/desk/import/:importId/report.csv",
  "/desk/readers/export.csv",
  "/desk/sales.csv",
  "/desk/webhooks/:webhookId",
  "/feeds/following/:file",
  "/pay/:sessionId",
  "/pay/:sessionId/status",
  "/read/:postId/receipt",
  "/read/:postId/files/:attachmentId",
  "/write/:postId/card.png"
])

/** A window of 1280 by 1024 pixels at 400 % and at 200 %, as people set it who see little. */
const ZOOMED = [
  { name: "400 %", options: { viewport: { width: 320, height: 256 } } },
  {
    name: "200 %, own colours and no motion",
    options: {
      viewport: { width: 640, height: 512 },
      forcedColors: "active",
      reducedMotion: "reduce"
    }
  }
] as const

/** Controls without a border, and shapes in the colour of the page, which nothing but their colour would show. */
const UNSEEN = `(() => {
  const paper = getComputedStyle(document.body).backgroundColor
  const all = (selector) => [...document.querySelectorAll(selector)].filter((it) => it.checkVisibility())
  const bare = all(".button, .field :is(input, select, textarea)").filter((it) => {
    const { borderTopColor, borderTopStyle, borderTopWidth } = getComputedStyle(it)
    return !it.closest(".paper") && !["checkbox", "radio"].includes(it.type) &&
      (borderTopStyle === "none" || Number.parseFloat(borderTopWidth) < 1 || borderTopColor === paper)
  })
  const shapes = all("svg :is(path, rect, circle, line, polyline)").filter((it) => {
    const { fill, stroke } = getComputedStyle(it)
    return !it.closest(".qr") && [fill, stroke].every((colour) => colour === "none" || colour === paper)
  })
  return [...bare, ...shapes].map((it) => it.outerHTML.slice(0, 120))
})()`

/** Finds elements that move by themselves, or would. */
const MOVING = `[...document.querySelectorAll("*")].filter((it) => {
  const { animationName, scrollBehavior, transitionDuration } = getComputedStyle(it)
  return animationName !== "none" || scrollBehavior === "smooth" || !/^0s(, 0s)*$/.test(transitionDuration)
}).map((it) => it.outerHTML.slice(0, 120))`

describe("pages on a phone of 320 pixels, and in a window that is zoomed as much", () => {
  it.live("No page scrolls sideways, with long names and with amounts of thirty decimals", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_narrow")
      const { author, client, free, overWire, sold, sql } = press
      yield* client.send("PATCH", "/api/v1/profile", { token: author.key, body: { name: NAME } })
      yield* overWire(author.say(free.id, `Said ${"W".repeat(200)}`))
      const bob = yield* overWire(commenterOf(2))
      const comment = yield* overWire(bob.say(free.id, `Said ${"W".repeat(200)}`))
      const reported = yield* client.send("POST", `/api/v1/comments/${comment.id}/reports`, {
        token: author.accessToken,
        headers: { "idempotency-key": "report" },
        body: { reason: `Why ${"W".repeat(200)}` }
      })
      yield* sql`
        insert into moderators (owner_id, added_at) select id, now() from owners where handle = ${author.handle}`
      yield* sql`update leaderboards set due_at = now() + interval '1 day'`
      yield* sql`delete from leaderboard_rows`
      yield* sql`
        insert into leaderboard_rows (leaderboard_id, owner_id, rank, value, position, public_rank)
        select l.id, o.id, 1, ${EARNED}::numeric, 1, 1 from leaderboards l, owners o
        where l.board in ('creator_earnings', 'supporters') and lower(o.handle) = lower(${author.handle})`
      const pathOf = (template: string) =>
        template
          .replace(":handle", author.handle)
          .replace("/:slug/comments", `/${free.path.split("/")[2]}/comments`)
          .replace(/^\/c\/:slug/, "/c/technology")
          .replace(":slug", free.path.split("/")[2] ?? "")
          .replace(":reportId", reported.body.reportId)
          .replace(":postId", template.startsWith("/read") ? sold.id : free.id)
      const fits = Effect.fnUntraced(function* (page: Page, name: string) {
        const [beyond, long] = yield* act(() =>
          page.evaluate<[number, number]>(
            "[document.documentElement.scrollWidth - innerWidth, Math.max(...[...document.querySelectorAll('.button')].map((it) => it.offsetHeight), 0)]"
          )
        )
        assert.isAtMost(beyond, 0, name)
        assert.isBelow(long, 120, `a button of ${name} is as high as a text beside it`)
      })
      const paths = [
        ...(yield* pageTemplates).filter((it) => !ELSEWHERE.has(it)),
        `/tip?post=${free.id}`,
        `/report?post=${free.id}`,
        `/report?handle=${author.handle}`,
        `/follow?handle=${author.handle}`,
        `/give/${sold.id}`,
        `/write/${sold.id}/publish?done=publish`,
        `/@${author.handle}?q=pennies`,
        "/search?q=pennies&access=paid",
        sold.path
      ]
      for (const { name, options } of ZOOMED) {
        const { page } = yield* windowOf(press, options)
        yield* signInAs(page, 1)
        for (const template of paths) {
          yield* act(() => page.goto(pathOf(template)))
          for (const summary of yield* act(() => page.locator("summary").all()))
            if (yield* act(() => summary.isVisible())) yield* act(() => summary.click())
          yield* fits(page, `${template} at ${name}`)
          if (!("forcedColors" in options)) continue
          const unseen = yield* act(() => page.evaluate<ReadonlyArray<string>>(UNSEEN))
          assert.deepStrictEqual(unseen, [], `${template} in own colours`)
          const moving = yield* act(() => page.evaluate<ReadonlyArray<string>>(MOVING))
          assert.deepStrictEqual(moving, [], `${template} without motion`)
        }
      }
      const { page } = yield* windowOf(press, { viewport: { width: 320, height: 800 } })
      yield* act(() => page.goto("/leaderboards"))
      const shown = yield* act(() =>
        page
          .locator("td data")
          .evaluateAll((all) => all.map((it) => [it.textContent, it.getAttribute("value")]))
      )
      assert.deepStrictEqual(shown, [
        ["123456.25", "123456.250000000000000000000000123456"],
        ["123456.25", "123456.250000000000000000000000123456"]
      ])
      const buyer = yield* windowOf(press, { viewport: { width: 320, height: 800 } })
      yield* act(() => buyer.page.goto(sold.path))
      yield* act(() => buyer.page.getByRole("button", { name: /^Unlock this post/ }).click())
      yield* act(() => buyer.page.getByText("Waiting for your payment.").waitFor())
      const beyond = yield* act(() =>
        buyer.page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      )
      assert.isAtMost(beyond, 0, "the checkout")
    })
  )

  it.live("A printed post has its text and its address, and no button or form", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_printed")
      const { page } = yield* windowOf(press)
      yield* act(() => page.goto(press.sold.path))
      yield* act(() => page.emulateMedia({ media: "print" }))
      const text = yield* act(() => page.innerText("body"))
      assert.include(text, "The teaser.")
      assert.include(text, `${press.origin}${press.sold.path}`)
      assert.include(text, "Keep reading for 0.25 XNO")
      for (const left of ["Unlock this post", "Already bought it", "Comment", "Follow", "Categories"])
        assert.notInclude(text, left)
    })
  )

  it.live(
    "Code of a post in Arabic reads from left to right, and no script without slanted letters is slanted",
    () =>
      Effect.gen(function* () {
        const press = yield* site("test_services_scripts")
        const { author, overWire } = press
        const text = "> اقتباس *مهم*\n\n```js\nconst a = 1 // x\n```\n\n`a = (b)`"
        const tab = yield* windowOf(press)
        for (const language of ["ar", "he", "fa", "ur", "ja", "zh-Hans", "ko", "en"]) {
          const post = yield* overWire(
            author.published({ title: `In ${language}`, language, freeContentMarkdown: text })
          )
          yield* act(() => tab.page.goto(`/@${author.handle}/${post.slug}`))
          const styles = yield* act(() =>
            tab.page.evaluate<ReadonlyArray<string>>(`[
            ...[...document.querySelectorAll(".prose code, .prose pre")].map((it) => getComputedStyle(it).direction),
            ...[...document.querySelectorAll(".prose blockquote, .prose em")].map((it) => getComputedStyle(it).fontStyle)
          ]`)
          )
          const slanted = language === "en" ? ["italic", "normal"] : ["normal", "normal"]
          assert.deepStrictEqual(styles, ["ltr", "ltr", "ltr", ...slanted], language)
        }
      })
  )
})
