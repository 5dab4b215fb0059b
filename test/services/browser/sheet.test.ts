import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { act, clean, pathOf, signInAs, site, windowOf } from "./site.ts"

const FREE = "The part that everyone reads"
const PAID = "The part that you sell"
const PHONE = { width: 375, height: 700 }

const text = (page: Page, label: string) => page.getByLabel(label, { exact: true })
const valueOf = (page: Page, label: string) => act(() => text(page, label).inputValue())
const tool = (page: Page, name: string) =>
  page.getByRole("toolbar", { name: "Formatting" }).getByRole("button", { name, exact: true })

/** Puts the caret before some words of a text. */
const caretBefore = (page: Page, label: string, words: string) =>
  act(() =>
    text(page, label).evaluate((it, found) => {
      const field = it as unknown as {
        readonly value: string
        readonly focus: () => void
        readonly setSelectionRange: (start: number, end: number) => void
      }
      const at = field.value.indexOf(found)
      field.focus()
      field.setSelectionRange(at, at)
    }, words)
  )

/** Returns how far the lower end of the bar is from that of the window, and whether the bar is at the top of it. */
const barOf = (page: Page) =>
  act(() =>
    page.evaluate<{ readonly top: number; readonly below: number }>(
      "(({ bottom, top }) => ({ top, below: innerHeight - bottom }))(bar.getBoundingClientRect())"
    )
  )

describe("the sheet in a real browser", () => {
  it.live("The sheet has a title, a text and a bar that stays in sight, at the bottom of a phone", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_sheet", { XNO_RATE: "0.85 USD" })
      for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
        const tab = yield* windowOf(press, { viewport })
        const { page } = tab
        yield* signInAs(page, 1)
        yield* act(() => page.goto("/write"))
        yield* clean(tab, "an empty sheet")
        const fields = yield* act(() =>
          page.evaluate<ReadonlyArray<string>>(
            "[...document.querySelectorAll('input, textarea, select')].filter((it) => it.checkVisibility()).map((it) => it.name)"
          )
        )
        assert.deepStrictEqual(fields, ["title", "free"])
        yield* act(() => text(page, "Title").fill("Nine degrees from upright"))
        // A title has one line.
        yield* act(() => text(page, "Title").press("Enter"))
        yield* act(() => page.keyboard.type("A line.\n\n".repeat(60)))
        yield* act(() => page.getByText("120 words · 1 min").waitFor())
        for (const place of ["0", "document.body.scrollHeight / 2", "document.body.scrollHeight"]) {
          yield* act(() => page.evaluate(`scrollTo(0, ${place})`))
          const { below, top } = yield* barOf(page)
          assert.strictEqual(Math.round(viewport === PHONE ? below : top), 0, place)
        }
        // A key reads no whole text, so that a long one costs no more.
        const reads = yield* act(() =>
          page.evaluate<number>(`(() => {
            const value = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value")
            let reads = 0
            const get = function () {
              reads++
              return value.get.call(this)
            }
            Object.defineProperty(HTMLTextAreaElement.prototype, "value", { ...value, get })
            free.focus()
            document.execCommand("insertText", false, "x")
            Object.defineProperty(HTMLTextAreaElement.prototype, "value", value)
            return reads
          })()`)
        )
        assert.strictEqual(reads, 0)
        // The click itself moves the caret, so that no letter after it is lost.
        const opened = yield* act(() =>
          page.evaluate<string>(`(() => {
            const summary = document.querySelector("details.rest summary")
            summary.click()
            const { id } = document.activeElement
            summary.click()
            return id
          })()`)
        )
        assert.strictEqual(opened, "paid")
        yield* act(() => page.getByText("+ Add a paid part").click())
        yield* act(() => page.keyboard.type("More of it."))
        assert.strictEqual(yield* valueOf(page, PAID), "More of it.")
        yield* act(() => page.getByText("Paid from here · set a price").click())
        yield* act(() => page.getByLabel("Price in XNO").fill("0.25"))
        yield* act(() => page.getByText("Paid from here · 0.25 XNO").waitFor())
        yield* act(() => page.keyboard.press("Control+s"))
        yield* act(() =>
          page
            .locator("#saving")
            .filter({ hasText: /^Saved \d\d:\d\d$/ })
            .waitFor()
        )
        yield* act(() => page.reload())
        yield* act(() => page.getByText("Paid from here · 0.25 XNO (about $0.21)").waitFor())
        yield* clean(tab, "a written sheet")
      }
    })
  )

  it.live("The wall moves to the caret, from both parts, and the browser can undo that", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_wall")
      const tab = yield* windowOf(press)
      const { page } = tab
      yield* signInAs(page, 1)
      yield* act(() => page.goto("/write"))
      yield* act(() => text(page, FREE).fill("One\n\nTwo\n\nThree"))
      yield* act(() => tool(page, "More").click())
      const both = Effect.all([valueOf(page, FREE), valueOf(page, PAID)])
      yield* caretBefore(page, FREE, "Two")
      yield* act(() => tool(page, "Move the wall here").click())
      assert.deepStrictEqual(yield* both, ["One", "Two\n\nThree"])
      // The caret stands at the wall.
      yield* act(() => page.keyboard.type("Here. "))
      assert.deepStrictEqual(yield* both, ["One", "Here. Two\n\nThree"])
      yield* caretBefore(page, PAID, "Three")
      yield* act(() => tool(page, "Move the wall here").click())
      assert.deepStrictEqual(yield* both, ["One\n\nHere. Two", "Three"])
      for (let press = 0; press < 2; press++) yield* act(() => page.keyboard.press("Control+z"))
      assert.deepStrictEqual(yield* both, ["One", "Here. Two\n\nThree"])
      // Nothing stands after the caret, so nothing moves.
      yield* act(() => text(page, FREE).press("Control+End"))
      yield* act(() => tool(page, "Move the wall here").click())
      assert.deepStrictEqual(yield* both, ["One", "Here. Two\n\nThree"])
      yield* act(() => page.keyboard.press("Control+s"))
      yield* act(() =>
        page
          .locator("#saving")
          .filter({ hasText: /^Saved/ })
          .waitFor()
      )
      yield* act(() => page.reload())
      assert.deepStrictEqual(yield* both, ["One", "Here. Two\n\nThree"])
      yield* clean(tab, "a text with a wall")
    })
  )

  it.live("A picture of the strip is inserted at the caret, described and removed, also on a phone", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_strip", { SCANNER: "none" })
      const tab = yield* windowOf(press, { viewport: PHONE })
      const { page } = tab
      yield* signInAs(page, 1)
      yield* act(() => page.goto("/write"))
      yield* act(() => text(page, FREE).fill("Before\n\nAfter"))
      yield* caretBefore(page, FREE, "After")
      const file = {
        name: "a.png",
        mimeType: "image/png",
        buffer: Buffer.from(pngOf({ width: 48, height: 48 }))
      }
      yield* act(async () => {
        const choosing = page.waitForEvent("filechooser")
        await tool(page, "Picture").click()
        await (await choosing).setFiles(file)
        await page.getByText("Picture added.").waitFor()
      })
      assert.match(yield* valueOf(page, FREE), /^Before\n\n!\[\]\(\S+\)\n\nAfter$/)
      /** Waits until the text has as many of these. */
      const has = (words: string, count: number) =>
        act(async () => {
          while ((await text(page, FREE).inputValue()).split(words).length !== count + 1)
            await page.waitForTimeout(50)
        })
      for (const isReloaded of [false, true]) {
        if (isReloaded) {
          yield* act(() =>
            page
              .locator("#saving")
              .filter({ hasText: /^Saved/ })
              .waitFor()
          )
          yield* act(() => page.reload())
        }
        yield* act(() => text(page, FREE).press("Control+End"))
        yield* act(() =>
          page.getByRole("button", { name: "Insert the picture: without a description" }).click()
        )
        yield* act(() => page.locator('summary[aria-label^="More about this picture"]').click())
        yield* act(() => page.getByLabel("Description", { exact: true }).fill("A [bridge]"))
        yield* act(() => page.keyboard.press("Tab"))
        const count = isReloaded ? 3 : 2
        yield* has("![A \\[bridge\\]](", count)
        yield* act(() => page.getByLabel("Description", { exact: true }).fill(""))
        yield* act(() => page.keyboard.press("Tab"))
        yield* has("![](", count)
        yield* clean(tab, "a strip of pictures")
        yield* act(() => page.keyboard.press("Control+s"))
      }
      yield* act(() => page.getByRole("button", { name: /^Remove/ }).click())
      yield* act(() => page.getByText("The picture is removed.").waitFor())
      assert.notInclude(yield* valueOf(page, FREE), "![")
      assert.strictEqual(yield* act(() => page.locator("#picture-list li").count()), 0)
    })
  )

  it.live(
    "The button that publishes says what it does, and what was decided is saved without publishing",
    () =>
      Effect.gen(function* () {
        const press = yield* site("test_services_decisions")
        for (const javaScriptEnabled of [true, false]) {
          const tab = yield* windowOf(press, { javaScriptEnabled, viewport: PHONE })
          const { page } = tab
          yield* signInAs(page, 1)
          yield* act(() => page.goto("/write"))
          yield* act(() => text(page, "Title").fill("Nine degrees"))
          yield* act(() =>
            text(page, FREE).fill(
              "Die Brücke neigt sich um neun Grad, und die Stadt hat gelernt, damit zu leben."
            )
          )
          yield* act(() => page.getByText("+ Add a paid part").click())
          yield* act(() => text(page, PAID).fill("Es ist nicht das erste Mal, und wir sehen es mit Sorge."))
          yield* act(() => page.getByRole("button", { name: "Publish…" }).click())
          yield* act(() => page.getByText("What you decide").waitFor())
          const publish = (name: string) => page.getByRole("button", { name, exact: true })
          const language = page.getByLabel("Language", { exact: true }).locator("option:checked")
          assert.strictEqual(yield* act(() => language.textContent()), "German (guessed)")
          yield* act(() => publish("Publish").waitFor())
          yield* act(() => page.getByLabel("Price in XNO").fill("0.25"))
          if (javaScriptEnabled) {
            yield* act(() => publish("Publish for 0.25 XNO").waitFor())
            yield* act(() => page.getByLabel("Everyone, for free").check())
            yield* act(() => publish("Publish, free for everyone").waitFor())
            yield* act(() => page.getByLabel("Buyers").check())
          }
          yield* act(() => page.getByLabel("More about how it was made").fill("Written on a train."))
          yield* act(() => page.getByRole("button", { name: "Save draft" }).click())
          yield* act(() => page.getByText("Saved.").waitFor())
          yield* act(() => publish("Publish for 0.25 XNO").waitFor())
          assert.strictEqual(
            yield* act(() => page.getByLabel("More about how it was made").inputValue()),
            "Written on a train."
          )
          if (javaScriptEnabled) {
            yield* clean(tab, "the page of decisions")
            // A link of the page asks first while something is not saved, and a saved page is left freely.
            const asked: Array<string> = []
            page.on("dialog", (dialog) => {
              asked.push(dialog.type())
              void dialog.dismiss()
            })
            yield* act(() => page.getByLabel("More about how it was made").fill("Written on two trains."))
            yield* act(() => page.getByRole("link", { name: "Edit", exact: true }).click())
            yield* act(() => page.waitForTimeout(300))
            assert.deepStrictEqual(asked, ["beforeunload"])
            yield* act(() => page.getByRole("button", { name: "Save draft" }).click())
            yield* act(() => page.getByText("Saved.").waitFor())
            assert.deepStrictEqual(asked, ["beforeunload"])
          }
          yield* act(() => page.getByRole("link", { name: "Edit", exact: true }).click())
          yield* act(() => page.getByText("Paid from here · 0.25 XNO").waitFor())
          assert.match(pathOf(page), /^\/write\/[0-9a-f-]{36}$/)
        }
      })
  )
})
