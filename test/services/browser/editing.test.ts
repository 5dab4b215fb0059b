import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { act, clean, pathOf, type Site, signInAs, site, tabBeside, windowOf } from "./site.ts"

const FREE = "The part that everyone reads"
const PAID = "The part that you sell"

/** Longer than the script waits before it saves a draft. */
const AUTOSAVE_MILLIS = 11_000

/** Waits until the line under the title says this. */
const says = (page: Page, words: RegExp) =>
  act(() => page.locator("#saving").filter({ hasText: words }).waitFor())

const write = (page: Page, label: string, text: string) =>
  act(() => page.getByLabel(label, { exact: true }).fill(text))

const valueOf = (page: Page, label: string) => act(() => page.getByLabel(label, { exact: true }).inputValue())

/** Lets the time pass after which the script saves. */
const pass = (page: Page) => act(() => page.clock.runFor(AUTOSAVE_MILLIS))

/** Opens a new post in a window of its own, whose clock stands still until a test moves it. */
const newPost = Effect.fnUntraced(function* (press: Site, number: number) {
  const tab = yield* windowOf(press)
  yield* signInAs(tab.page, number)
  yield* act(() => tab.page.clock.install())
  yield* act(() => tab.page.goto("/write"))
  return tab
})

/** Writes the beginning of a post, and waits until it is a draft. */
const draft = Effect.fnUntraced(function* (page: Page, text: string) {
  yield* write(page, "Title", "On tides")
  yield* write(page, FREE, text)
  yield* pass(page)
  yield* says(page, /^Saved \d\d:\d\d$/)
})

const statusIs = (page: Page, words: string) => act(() => page.getByText(words).first().waitFor())

describe("the editor in a real browser", () => {
  it.live("The toolbar and its keys write Markdown that the browser can undo, under the strict policy", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_editing")
      const tab = yield* newPost(press, 51)
      const { page } = tab
      const text = page.getByLabel(FREE, { exact: true })
      const toolbar = page.getByRole("toolbar", { name: `Markdown for ${FREE}` })
      const undo = act(() => page.keyboard.press("Control+z"))
      const select = act(async () => {
        await text.fill("word")
        await text.press("Control+a")
      })
      for (const [name, expected] of [
        ["Bold", "**word**"],
        ["Italic", "_word_"],
        ["Underline", "++word++"],
        ["Strike", "~~word~~"],
        ["Code", "`word`"],
        ["Link", "[word](url)"],
        ["Heading", "## word"],
        ["Quote", "> word"],
        ["List", "- word"],
        ["Numbered list", "1. word"]
      ] as const) {
        yield* select
        yield* act(() => toolbar.getByRole("button", { name, exact: true }).click())
        assert.strictEqual((yield* valueOf(page, FREE)).trim(), expected, name)
        yield* undo
        assert.strictEqual(yield* valueOf(page, FREE), "word", `${name} undone`)
      }
      for (const [keys, expected] of [
        ["Control+b", "**word**"],
        ["Control+i", "_word_"],
        ["Control+k", "[word](url)"]
      ] as const) {
        yield* select
        yield* act(() => page.keyboard.press(keys))
        assert.strictEqual(yield* valueOf(page, FREE), expected, keys)
        yield* undo
        assert.strictEqual(yield* valueOf(page, FREE), "word", `${keys} undone`)
      }
      // One stop of the tabulator leads into the toolbar, and arrows lead on.
      yield* act(async () => {
        await page.getByLabel("Description", { exact: true }).focus()
        await page.keyboard.press("Tab")
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
      })
      assert.strictEqual((yield* valueOf(page, FREE)).trim(), "**word**")
      yield* clean(tab, "the editor")

      const plain = yield* windowOf(press, { javaScriptEnabled: false })
      yield* signInAs(plain.page, 51)
      yield* act(() => plain.page.goto("/write"))
      assert.strictEqual(yield* act(() => plain.page.getByRole("toolbar").count()), 0)
    })
  )

  it.live("A draft saves itself, in both of two tabs, and neither replaces what the other saved", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_editing_tabs")
      const one = yield* newPost(press, 52)
      yield* draft(one.page, "The first words.")
      const path = pathOf(one.page)
      assert.match(path, /^\/write\/[0-9a-f-]{36}$/)
      const other = yield* tabBeside(one)
      yield* act(() => other.page.clock.install())
      yield* act(() => other.page.goto(path))
      assert.strictEqual(yield* valueOf(other.page, FREE), "The first words.")
      yield* write(other.page, FREE, "Of the other tab.")
      // Leaving the field saves it, too.
      yield* act(() => other.page.getByLabel("Title", { exact: true }).focus())
      yield* says(other.page, /^Saved/)
      yield* write(one.page, FREE, "Of the one tab.")
      yield* pass(one.page)
      yield* says(one.page, /^Changed elsewhere/)
      yield* write(one.page, FREE, "Of the one tab, still.")
      yield* pass(one.page)
      yield* clean(one, "a draft that was changed elsewhere")
      yield* act(() => one.page.getByRole("button", { name: "Save draft" }).click())
      yield* statusIs(one.page, "This post was changed elsewhere since you opened it.")
      assert.strictEqual(yield* valueOf(one.page, `Saved: ${FREE.toLowerCase()}`), "Of the other tab.")
      assert.strictEqual(yield* valueOf(one.page, FREE), "Of the one tab, still.")
      yield* clean(one, "both versions")
      // Only a press replaces the other version.
      yield* write(one.page, FREE, "Of both tabs.")
      yield* pass(one.page)
      yield* act(() => other.page.reload())
      assert.strictEqual(yield* valueOf(other.page, FREE), "Of the other tab.")
      yield* act(() => one.page.getByRole("button", { name: "Save draft" }).click())
      yield* statusIs(one.page, "Saved.")
      yield* act(() => other.page.reload())
      assert.strictEqual(yield* valueOf(other.page, FREE), "Of both tabs.")
    })
  )

  it.live("A text that is written without a connection is saved after it, and survives a reload", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_editing_offline")
      const tab = yield* newPost(press, 53)
      const { page } = tab
      const offline = (is: boolean) => act(() => page.context().setOffline(is))
      yield* offline(true)
      yield* write(page, "Title", "On tides")
      yield* write(page, FREE, "Written in a tunnel.")
      yield* pass(page)
      yield* says(page, /^Not saved: no connection\. Trying again$/)
      yield* act(() => page.getByRole("button", { name: "Save draft" }).click())
      yield* says(page, /^Not saved: no connection\. Trying again$/)
      assert.strictEqual(pathOf(page), "/write")
      yield* offline(false)
      yield* says(page, /^Saved/)
      const path = pathOf(page)

      yield* offline(true)
      yield* write(page, FREE, "Written in the next tunnel.")
      yield* pass(page)
      yield* says(page, /^Not saved: no connection/)
      yield* act(() => page.getByRole("button", { name: "Save draft" }).click())
      tab.errors.length = 0
      // The connection is back when the page is loaded, so that only what this tab keeps can have the text.
      yield* act(() =>
        page.route("**/write/**", (route) =>
          route.request().method() === "POST" ? route.abort() : route.continue()
        )
      )
      yield* offline(false)
      yield* act(() => page.reload())
      yield* act(() => page.unroute("**/write/**"))
      assert.strictEqual(yield* valueOf(page, FREE), "Written in a tunnel.")
      yield* statusIs(page, "What you wrote here last was not saved.")
      tab.errors.length = 0
      yield* clean(tab, "a text that was not saved")
      yield* act(() => page.getByRole("button", { name: "Put it back" }).click())
      assert.strictEqual(yield* valueOf(page, FREE), "Written in the next tunnel.")
      yield* pass(page)
      yield* says(page, /^Saved/)
      yield* act(() => page.reload())
      assert.strictEqual(yield* valueOf(page, FREE), "Written in the next tunnel.")
      assert.isTrue(yield* act(() => page.locator("#kept").isHidden()))
      assert.strictEqual(pathOf(page), path)
    })
  )

  it.live("An answer that is lost makes no second draft, and loses nothing that was typed since", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_editing_lost")
      const { page } = yield* newPost(press, 54)
      let lost = 0
      // The service saves, and its answer does not arrive.
      yield* act(() =>
        page.route("**/write", async (route) => {
          if (route.request().method() !== "POST" || lost > 0) return route.continue()
          lost++
          await route.fetch()
          return route.abort()
        })
      )
      yield* write(page, "Title", "On tides")
      yield* write(page, FREE, "First.")
      yield* pass(page)
      yield* says(page, /^Not saved: no connection/)
      yield* write(page, FREE, "First and second.")
      yield* act(() => page.getByRole("button", { name: "Save and preview" }).click())
      yield* act(() => page.waitForURL(/\/preview$/))
      yield* statusIs(page, "First and second.")
      const drafts = yield* press.sql`select 1 from posts where title = 'On tides'`
      assert.strictEqual(drafts.length, 1)
      assert.strictEqual(lost, 1)
    })
  )

  it.live("What is refused is told without moving the focus, and a link leads to its place", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_editing_refused")
      const tab = yield* newPost(press, 55)
      const { page } = tab
      yield* draft(page, "Fine.")
      yield* write(page, FREE, "Fine.\n\n\tcode\n\nLook: <div>here</div>")
      yield* pass(page)
      yield* says(page, /^Not saved: Line 5, column 7: HTML\. Write HTML as Markdown/)
      // The line stays in sight at the end of the page.
      const inSight = "scrollTo(0, document.body.scrollHeight); saving.getBoundingClientRect().top"
      assert.strictEqual(yield* act(() => page.evaluate<number>(inSight)), 0)
      const focused = act(() => page.evaluate<string>("document.activeElement.id"))
      assert.strictEqual(yield* focused, "free")
      yield* act(() => page.getByRole("button", { name: "Save draft" }).click())
      yield* statusIs(page, "This was not saved yet. Please look at:")
      assert.strictEqual(yield* focused, "outcome")
      yield* act(() =>
        page
          .getByRole("link", { name: /^Line 5, column 7/ })
          .first()
          .click()
      )
      assert.strictEqual(yield* focused, "free")
      const selected =
        "(({ selectionEnd, selectionStart, value }) => value.slice(selectionStart, selectionEnd))(free)"
      assert.strictEqual(yield* act(() => page.evaluate<string>(selected)), "<div>here</div>")
    })
  )

  it.live("A session that ended is told, and the text is saved after the sign-in", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_editing_session")
      const tab = yield* newPost(press, 56)
      const { page } = tab
      yield* draft(page, "Before.")
      yield* act(() => page.context().clearCookies())
      yield* write(page, FREE, "Before and after.")
      yield* pass(page)
      yield* says(page, /^You are signed out\. What you wrote is still here\. Sign in in a new tab\.$/)
      const beside = yield* tabBeside(tab)
      yield* signInAs(beside.page, 56)
      yield* pass(page)
      yield* says(page, /^Saved/)
      yield* act(() => page.reload())
      assert.strictEqual(yield* valueOf(page, FREE), "Before and after.")
    })
  )

  it.live("A published post waits for its author, and says what is not saved", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_editing_published")
      const tab = yield* windowOf(press)
      const { page } = tab
      yield* signInAs(page, 1)
      yield* act(() => page.clock.install())
      const path = `/write/${press.free.id}`
      yield* act(() => page.goto(path))
      const before = yield* valueOf(page, FREE)
      yield* write(page, FREE, "Half a sen")
      yield* write(page, "Description", "Another")
      yield* pass(page)
      yield* says(page, /^Not saved yet: Description, The part that everyone reads$/)
      const beside = yield* tabBeside(tab)
      yield* act(() => beside.page.goto(path))
      assert.strictEqual(yield* valueOf(beside.page, FREE), before)
      yield* act(() => page.getByRole("button", { name: "Save changes" }).click())
      yield* statusIs(page, "Saved.")
      assert.strictEqual(yield* valueOf(page, FREE), "Half a sen")
      // The part that is sold is out of the way while nothing is sold.
      yield* act(() => page.getByLabel("Sell the rest of this post").uncheck())
      assert.isTrue(yield* act(() => page.getByLabel(PAID, { exact: true }).isHidden()))
      yield* act(() => page.getByLabel("Sell the rest of this post").check())
      yield* write(page, PAID, "More")
      yield* act(() => page.getByLabel("Sell the rest of this post").uncheck())
      assert.isTrue(yield* act(() => page.getByLabel(PAID, { exact: true }).isVisible()))
      yield* clean(tab, "a published post")
    })
  )
})
