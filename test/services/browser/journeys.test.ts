import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { walletOf } from "../../support/actors/owner.ts"
import { soak } from "../../support/soak.ts"
import { act, clean, mailedCode, pathOf, signInAs, site, windowOf } from "./site.ts"

/** Most presses from the home page to a paid post with two pictures and a footnote. Without a script, each picture is sent by itself. */
const FIRST_POST_MAX = 10
const FIRST_POST_PLAIN_MAX = 15

/** Most presses of an author with 300 posts for another price, an unpublication and a reply. */
const HOUSEKEEPING_MAX = 8

const POSTS = 300

const PICTURES = [1, 2].map((seed) => ({
  name: `bridge-${seed}.png`,
  mimeType: "image/png",
  buffer: Buffer.from(pngOf({ width: 64, height: 48, seed }))
}))

/** Each has a script on a phone and none on a desk. The soak has a script on both. */
const WINDOWS = [
  { javaScriptEnabled: true, viewport: { width: 375, height: 812 } },
  { javaScriptEnabled: false, viewport: { width: 1280, height: 900 } },
  { javaScriptEnabled: true, viewport: { width: 1280, height: 900 } }
].slice(0, soak(2, 3))

/** Counts what a hand presses: links, buttons, boxes, and the key that sends a form. Typing is no press. */
const handOf = (page: Page) => {
  let presses = 0
  const click = (it: Locator) => {
    presses++
    return act(() => it.click())
  }
  return {
    presses: () => presses,
    click,
    link: (name: string | RegExp) => click(page.getByRole("link", { name, exact: true }).first()),
    button: (name: string | RegExp) => click(page.getByRole("button", { name, exact: true }).first()),
    enter: (it: Locator) => {
      presses++
      return act(() => it.press("Enter"))
    },
    /** Opens the window in which a person chooses files, and chooses these. */
    choose: (it: Locator, files: ReadonlyArray<(typeof PICTURES)[number]>) => {
      presses++
      return act(async () => {
        const choosing = page.waitForEvent("filechooser")
        await it.click()
        await (await choosing).setFiles([...files])
      })
    }
  }
}

const nameOf = ({ javaScriptEnabled, viewport }: (typeof WINDOWS)[number]) =>
  `${javaScriptEnabled ? "with a script" : "without one"} at ${viewport.width} pixels`

describe("journeys of people in a real browser", () => {
  for (const options of WINDOWS)
    it.live(`A stranger publishes a paid post with two pictures and a footnote, ${nameOf(options)}`, () =>
      Effect.gen(function* () {
        const { javaScriptEnabled: hasScript, viewport } = options
        const press = yield* site(`test_services_journey_${viewport.width}_${String(hasScript)}`, {
          SCANNER: "none"
        })
        const tab = yield* windowOf(press, options)
        const { page } = tab
        const hand = handOf(page)
        const type = (label: string, text: string) =>
          act(() => page.getByLabel(label, { exact: true }).fill(text))
        const free = page.getByLabel("The part that everyone reads", { exact: true })

        yield* act(() => page.goto("/"))
        yield* hand.link("Start writing, keep all of it")
        yield* type("Your email address", "mara@example.org")
        yield* hand.button("Continue")
        yield* type("Code", yield* mailedCode(press, "mara@example.org"))
        yield* hand.button("Continue")
        yield* act(() => page.waitForURL((url) => url.pathname === "/write"))
        yield* type("Title", "Nine degrees from upright")
        yield* type(
          "The part that everyone reads",
          "The tower leans.[^1]\n\n[^1]: It was upright in 1173.\n\n"
        )
        if (hasScript) {
          yield* act(() => page.evaluate("document.getElementById('free').setSelectionRange(1e6, 1e6)"))
          yield* hand.choose(page.getByRole("button", { name: "Picture", exact: true }), PICTURES)
          yield* act(() => page.getByText("2 pictures added.").waitFor())
        } else
          for (const picture of PICTURES) {
            yield* hand.click(page.getByText("Add a picture", { exact: true }))
            yield* hand.choose(page.getByLabel("Picture file", { exact: true }), [picture])
            yield* hand.button("Insert")
            yield* act(() => page.getByText("The picture is at the end of the text.").waitFor())
          }
        assert.lengthOf((yield* act(() => free.inputValue())).match(/!\[\]\(\S+\)/g) ?? [], 2)
        yield* hand.click(page.getByText("+ Add a paid part"))
        yield* type("The part that you sell", "The rest of the tower.")
        yield* hand.button("Publish…")
        yield* act(() => page.getByText("What you decide").waitFor())
        if (hasScript) yield* clean(tab, "the decisions on a first post")
        yield* type("Your name", "Mara Lindqvist")
        yield* type("Your handle", "mara_writes")
        yield* type("Payout address", walletOf(41).account)
        yield* type("Price in XNO", "0.25")
        yield* hand.click(
          page.getByRole("radiogroup", { name: "Category", exact: true }).getByLabel("Art & Illustration")
        )
        yield* hand.click(page.getByLabel("Human-written, according to the author.", { exact: true }))
        yield* hand.click(page.getByLabel("I reviewed this post and take responsibility for it"))
        yield* hand.button(hasScript ? "Publish for 0.25 XNO" : "Publish")
        yield* act(() => page.getByRole("heading", { name: "It's out." }).waitFor())
        assert.isAtMost(hand.presses(), hasScript ? FIRST_POST_MAX : FIRST_POST_PLAIN_MAX)

        const stranger = yield* windowOf(press, options)
        yield* act(() => stranger.page.goto("/@mara_writes/nine-degrees-from-upright"))
        const shown = yield* act(() => stranger.page.innerText("main"))
        assert.include(shown, "It was upright in 1173.")
        assert.include(shown, "Keep reading for 0.25 XNO")
        assert.notInclude(shown, "The rest of the tower.")
        yield* act(async () => {
          const sizes = `[...document.querySelectorAll(".prose img")].map((it) => (it.loading = "eager", it.naturalWidth))`
          while (JSON.stringify(await stranger.page.evaluate(sizes)) !== "[64,64]")
            await stranger.page.waitForTimeout(200).then(() => stranger.page.reload())
        })
      })
    )

  for (const options of WINDOWS)
    it.live(`An author of ${POSTS} posts sets a price, unpublishes and answers, ${nameOf(options)}`, () =>
      Effect.gen(function* () {
        const { javaScriptEnabled: hasScript, viewport } = options
        const press = yield* site(`test_services_author_${viewport.width}_${String(hasScript)}`)
        const { author, client, free, overWire, sql } = press
        const paid = {
          freeContentMarkdown: "The teaser.",
          paidContentMarkdown: "The rest.",
          enablePaywall: true
        }
        const dear = yield* overWire(
          author.published({ ...paid, title: "Letters to a landlord, first", priceXno: "0.25" })
        )
        const old = yield* overWire(
          author.published({ ...paid, title: "Letters to a landlord, second", priceXno: "0.25" })
        )
        yield* sql`
            insert into posts (id, owner_id, status, title, description, enable_paywall, slug, language, comments_enabled,
              creation_attested, created_at, updated_at, published_at)
            select gen_random_uuid(), p.owner_id, 'published', 'Other post ' || n, '', false, 'more-' || n, 'en', true, true, at, at, at
            from posts p, generate_series(1, ${POSTS - 4}::integer) n, lateral (select now() + n * interval '1 second' as at) t
            where p.id = ${dear.id}`
        const reader = yield* overWire(commenterOf(2))
        const said = yield* overWire(reader.say(free.id, "How many pennies make a pound?"))
        const tab = yield* windowOf(press, options)
        const { page } = tab
        const check = (name: string) => (hasScript ? clean(tab, name) : Effect.void)
        const hand = handOf(page)
        const told = (text: string) => act(() => page.locator("#outcome", { hasText: text }).waitFor())
        const menu = page.getByRole("navigation", { name: "Desk" })
        yield* signInAs(page, 1, "/desk")

        yield* hand.click(menu.getByText("Posts", { exact: true }))
        const search = page.getByPlaceholder("Search your titles")
        yield* act(() => search.fill("landlord"))
        yield* hand.enter(search)
        yield* hand.click(page.locator("summary", { hasText: "More for Letters to a landlord, first" }))
        yield* check("a menu of a post")
        yield* act(() => page.getByLabel("Price in XNO of Letters to a landlord, first").fill("0.5"))
        yield* hand.button("Save price Letters to a landlord, first")
        yield* told("The new price is saved.")
        assert.match(pathOf(page), /^\/desk\/posts\?q=landlord&done=save$/)
        yield* check("a saved price")
        yield* hand.click(page.locator("summary", { hasText: "More for Letters to a landlord, second" }))
        yield* hand.button("Unpublish Letters to a landlord, second")
        yield* told("Your post is a draft again.")
        yield* hand.click(menu.getByText("Comments", { exact: true }))
        yield* act(() => page.getByLabel("Your reply").first().fill("240, once."))
        yield* check("a reply")
        yield* hand.button("Post reply")
        yield* told("Your reply is public.")
        assert.isAtMost(hand.presses(), HOUSEKEEPING_MAX)

        const own = (id: string) => client.send("GET", `/api/v1/posts/${id}`, { token: author.key })
        assert.strictEqual((yield* own(dear.id)).body.priceRaw, `5${"0".repeat(29)}`)
        assert.deepInclude((yield* own(dear.id)).body, { title: dear.title, status: "published" })
        assert.strictEqual((yield* own(old.id)).body.status, "draft")
        const { body } = yield* client.send("GET", `/api/posts/${free.id}/comments`)
        assert.deepInclude(body.at(-1), { content: "240, once.", parentCommentId: said.id })
      })
    )
})
