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

/** Presses a button without a connection, and waits until the two requests have failed: of the field that is left, and of the button. */
const pressInVain = (page: Page, name: string) =>
  act(async () => {
    let failed = 0
    const both = new Promise<void>((resolve) => page.on("requestfailed", () => ++failed === 2 && resolve()))
    await page.getByRole("button", { name }).click()
    await both
  })

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
      const toolbar = page.getByRole("toolbar", { name: "Formatting" })
      const undo = act(() => page.keyboard.press("Control+z"))
      const select = act(async () => {
        await text.fill("word")
        await text.press("Control+a")
      })
      yield* act(() => toolbar.getByRole("button", { name: "More" }).click())
      for (const [name, expected] of [
        ["Bold", "**word**"],
        ["Italic", "*word*"],
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
        ["Control+i", "*word*"],
        ["Control+k", "[word](url)"]
      ] as const) {
        yield* select
        yield* act(() => page.keyboard.press(keys))
        assert.strictEqual(yield* valueOf(page, FREE), expected, keys)
        yield* undo
        assert.strictEqual(yield* valueOf(page, FREE), "word", `${keys} undone`)
      }
      // A second press takes back the first one.
      for (const [name, value, expected] of [
        ["Heading", "one two\nthree", "## one two\n## three"],
        ["Quote", "one two\nthree", "> one two\n> three"],
        ["Numbered list", "- one\n- two", "1. one\n2. two"],
        ["Bold", "one\n\ntwo", "**one**\n\n**two**"],
        ["Bold", "「重要」", "**「重要」**"],
        ["Underline", "C++", "++C\\+\\+++"],
        ["Code", "a\nb", "```\na\nb\n```"]
      ] as const) {
        yield* act(async () => {
          await text.fill(value)
          await text.press("Control+a")
        })
        yield* act(() => toolbar.getByRole("button", { name, exact: true }).click())
        assert.strictEqual(yield* valueOf(page, FREE), expected, name)
        yield* act(() => toolbar.getByRole("button", { name, exact: true }).click())
        assert.strictEqual(yield* valueOf(page, FREE), value, `${name} taken back`)
      }
      yield* act(() => text.fill("word"))
      // One stop of the tabulator leads into the toolbar, and arrows lead on.
      yield* act(async () => {
        await toolbar.getByRole("button", { name: "More" }).click()
        await page.getByRole("link", { name: "← Desk" }).focus()
        await page.keyboard.press("Tab")
        await page.keyboard.press("ArrowRight")
        await page.keyboard.press("Enter")
      })
      assert.strictEqual((yield* valueOf(page, FREE)).trim(), "*word*")
      // The next stop is behind the toolbar.
      yield* act(async () => {
        await page.getByRole("link", { name: "← Desk" }).focus()
        await page.keyboard.press("Tab")
        await page.keyboard.press("ArrowLeft")
      })
      const focused = act(() =>
        page.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.textContent")
      )
      assert.strictEqual(yield* focused, "Bold")
      yield* act(() => page.keyboard.press("Tab"))
      assert.strictEqual(yield* focused, "Save draft")
      yield* clean(tab, "the editor")

      const plain = yield* windowOf(press, { javaScriptEnabled: false })
      yield* signInAs(plain.page, 51)
      yield* act(() => plain.page.goto("/write"))
      assert.strictEqual(yield* act(() => plain.page.getByRole("toolbar").count()), 0)
    })
  )

  it.live("Keys act by their place on any layout, Ctrl+S saves, and Return goes on with a list", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_keys")
      const tab = yield* newPost(press, 58)
      const { page } = tab
      const key = (key: string, code: string) =>
        act(() =>
          page.evaluate(
            `free.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", code: "${code}", ctrlKey: true, bubbles: true, cancelable: true }))`
          )
        )
      const select = act(async () => {
        await page.getByLabel(FREE, { exact: true }).fill("слово")
        await page.keyboard.press("Control+a")
      })
      for (const [letter, code, expected] of [
        ["и", "KeyB", "**слово**"],
        ["ш", "KeyI", "*слово*"],
        ["л", "KeyK", "[слово](url)"]
      ] as const) {
        yield* select
        yield* key(letter, code)
        assert.strictEqual(yield* valueOf(page, FREE), expected)
      }
      yield* act(() => page.getByLabel(FREE, { exact: true }).fill("- one"))
      yield* act(async () => {
        await page.keyboard.press("Control+End")
        await page.keyboard.press("Enter")
        await page.keyboard.type("two")
        await page.keyboard.press("Enter")
        await page.keyboard.press("Enter")
        await page.keyboard.type("After")
      })
      assert.strictEqual(yield* valueOf(page, FREE), "- one\n- two\n\nAfter")
      yield* key("ы", "KeyS")
      yield* says(page, /^Saved \d\d:\d\d$/)
      yield* act(() => page.reload())
      assert.strictEqual(yield* valueOf(page, FREE), "- one\n- two\n\nAfter")
      yield* clean(tab, "a text that was typed")

      yield* signInAs(page, 1)
      yield* act(() => page.goto(`/write/${press.free.id}`))
      yield* write(page, FREE, "Half a sen")
      yield* act(() => page.keyboard.press("Control+s"))
      yield* says(page, /^Kept on this device\./)
      const beside = yield* tabBeside(tab)
      yield* act(() => beside.page.goto(`/write/${press.free.id}`))
      assert.notStrictEqual(yield* valueOf(beside.page, FREE), "Half a sen")
    })
  )

  it.live("What is pasted keeps its form as Markdown, and one step undoes it", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_pasting")
      const tab = yield* newPost(press, 57)
      const { page } = tab
      const paste = (data: Readonly<Record<string, string>>) =>
        act(() =>
          page.evaluate(`(() => {
            const clipboardData = new DataTransfer()
            for (const [type, text] of Object.entries(${JSON.stringify(data)})) clipboardData.setData(type, text)
            const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true })
            // A browser pastes plain text itself.
            if (free.dispatchEvent(event)) document.execCommand("insertText", false, clipboardData.getData("text/plain"))
          })()`)
        )
      const fill = (value: string, start: number, end: number) =>
        act(async () => {
          await page.getByLabel(FREE, { exact: true }).fill(value)
          await page.evaluate(`free.setSelectionRange(${start}, ${end})`)
        })
      const html =
        "<meta charset='utf-8'><h2 style='color: red'>Tides</h2><p>They <span style='font-weight: 700'>rise</span>, " +
        "<a href='https://example.org/'>twice</a>.</p><ul><li>ebb</li></ul><script>document.title = 'run'</script>" +
        "<img src='https://example.org/x.png' onerror='document.title = 1'>"
      for (const [data, start, end, expected] of [
        [
          { "text/html": html, "text/plain": "Tides They rise" },
          6,
          6,
          "Before\n\n## Tides\n\nThey **rise**, [twice](https://example.org/).\n\n- ebb\n\n![](https://example.org/x.png)\n\n after"
        ],
        [{ "text/html": "<b>so</b>", "text/plain": "so" }, 7, 7, "Before **so**after"],
        [{ "text/html": "<p>plain</p>", "text/plain": "plain" }, 7, 7, "Before plainafter"],
        [{ "text/plain": "https://example.org/(a)" }, 0, 6, "[Before](https://example.org/%28a%29) after"],
        [{ "text/plain": "https://example.org/" }, 6, 6, "Beforehttps://example.org/ after"]
      ] as const) {
        yield* fill("Before after", start, end)
        yield* paste(data)
        assert.strictEqual(yield* valueOf(page, FREE), expected)
        yield* act(() => page.keyboard.press("Control+z"))
        assert.strictEqual(yield* valueOf(page, FREE), "Before after")
      }
      yield* clean(tab, "a text that was pasted")
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
      yield* act(() => one.page.getByLabel("Keep mine").check())
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
      yield* pressInVain(page, "Save draft")
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
      yield* statusIs(page, "Your latest changes weren't saved here.")
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

  it.live("Edits of a public post survive the tab, and another tab of its author offers them", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_editing_closed")
      const tab = yield* newPost(press, 59)
      yield* act(() => tab.page.getByLabel("Title", { exact: true }).fill("On tides"))
      yield* draft(tab.page, "The first words.")
      const path = pathOf(tab.page)
      // A draft saves itself, so its requests are held back.
      yield* act(() =>
        tab.page.route("**/write/**", (route) =>
          route.request().method() === "POST" ? route.abort() : route.continue()
        )
      )
      yield* write(tab.page, FREE, "Written, and never saved.")
      yield* pass(tab.page)
      yield* says(tab.page, /^Not saved: no connection/)
      const other = yield* tabBeside(tab)
      yield* act(() => tab.page.close())
      yield* act(() => other.page.clock.install())
      yield* act(() => other.page.goto(path))
      yield* statusIs(other.page, "Your latest changes weren't saved here.")
      yield* act(() => other.page.getByRole("button", { name: "Put it back" }).click())
      assert.strictEqual(yield* valueOf(other.page, FREE), "Written, and never saved.")
      yield* pass(other.page)
      yield* says(other.page, /^Saved/)
      yield* act(() => other.page.reload())
      assert.isTrue(yield* act(() => other.page.locator("#kept").isHidden()))
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
      yield* act(() => page.getByRole("button", { name: "Preview" }).click())
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
      const inSight =
        "scrollTo(0, document.body.scrollHeight); (({ bottom, top }) => top >= 0 && bottom <= innerHeight)(saving.getBoundingClientRect())"
      assert.isTrue(yield* act(() => page.evaluate<boolean>(inSight)))
      const focused = act(() => page.evaluate<string>("document.activeElement.id"))
      assert.strictEqual(yield* focused, "free")
      yield* act(() => page.getByRole("button", { name: "Save draft" }).click())
      yield* statusIs(page, "This hasn't been saved yet. Please check:")
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
      yield* write(page, "Title", "Another")
      yield* pass(page)
      yield* says(page, /^Not saved yet: Title, The part that everyone reads$/)
      const beside = yield* tabBeside(tab)
      yield* act(() => beside.page.goto(path))
      assert.strictEqual(yield* valueOf(beside.page, FREE), before)
      yield* act(() => page.getByRole("button", { name: "Save changes" }).click())
      yield* statusIs(page, "Saved.")
      assert.strictEqual(yield* valueOf(page, FREE), "Half a sen")
      // The part that is sold is out of the way while there is none.
      assert.isTrue(yield* act(() => page.getByLabel(PAID, { exact: true }).isHidden()))
      yield* act(() => page.getByText("+ Add a paid part").click())
      yield* write(page, PAID, "More")
      yield* act(() => page.locator("#terms").click())
      yield* act(() => page.getByLabel("Sell the rest of this post").uncheck())
      yield* statusIs(page, "More, free for everyone")
      // Its label and its hint say that it is not sold.
      const free = page.getByLabel("More of the post, free for everyone", { exact: true })
      assert.strictEqual(yield* act(() => free.inputValue()), "More")
      yield* statusIs(page, "Everyone reads it, because you don't sell it.")
      assert.isTrue(yield* act(() => page.getByText("Only buyers read it.").isHidden()))
      yield* clean(tab, "a published post")
    })
  )
})
