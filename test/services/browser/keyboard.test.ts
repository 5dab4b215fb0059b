import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { act, signInAs, site, windowOf } from "./site.ts"

/** Stops of the Tab key that a walk makes at most. */
const STOPS_MAX = 40

/** The name of what has the focus, whether its place is seen, and whether anything of it is in sight. */
const FOCUSED = `(() => {
  const it = document.activeElement
  const isOutlined = (some) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(some)
    return outlineStyle !== "none" && outlineWidth !== "0px"
  }
  // A text on the sheet shows its caret, and the link of a card outlines the card.
  const isShown = it.matches(".paper textarea") || isOutlined(it) || isOutlined(it.closest(".card") ?? it)
  // A link may have two lines, and a tall field begins or ends out of sight.
  const places = [...it.getClientRects()].flatMap(({ bottom, left, right, top }) =>
    [0.1, 0.5, 0.9].map((part) => [left + (right - left) * part, top + (bottom - top) * part])
  )
  const isInSight = it === document.body || places.some(([x, y]) => it.contains(document.elementFromPoint(x, y)))
  const label = it.getAttribute("aria-label") ?? it.labels?.[0]?.textContent ?? it.textContent
  return [it === document.body ? "" : label.trim().replace(/\\s+/g, " "), isShown, isInSight]
})()`

const focused = (page: Page) => act(() => page.evaluate<[string, boolean, boolean]>(FOCUSED))

/** Walks to the end of a page, and returns the names of the stops. */
const walk = Effect.fnUntraced(function* (page: Page, of: string) {
  const names: Array<string> = []
  while (names.length < STOPS_MAX) {
    yield* act(() => page.keyboard.press("Tab"))
    const [name, isShown, isInSight] = yield* focused(page)
    // Behind the last one, the focus leaves the page.
    if (name === "") return names
    assert.isTrue(isShown, `${name} shows the focus, ${of}`)
    assert.isTrue(isInSight, `${name} is in sight, ${of}`)
    names.push(name)
  }
  return assert.fail(`the focus never leaves the page: ${names.join(", ")}`)
})

/** Goes back until something has the focus. */
const backTo = Effect.fnUntraced(function* (page: Page, wanted: string) {
  for (let stops = 0; stops < STOPS_MAX; stops++) {
    yield* act(() => page.keyboard.press("Shift+Tab"))
    if ((yield* focused(page))[0] === wanted) return
  }
  assert.fail(`${wanted} is never reached`)
})

describe("the sheet by keyboard in a real browser", () => {
  it.live("A person walks through the sheet, writes on it and goes on to publish, without a mouse", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_keyboard")
      for (const viewport of [
        { width: 1280, height: 900 },
        { width: 375, height: 667 },
        // At 400 %, the bar does not cover the text.
        { width: 320, height: 256 }
      ]) {
        const { page } = yield* windowOf(press, { viewport })
        const at = `${viewport.width} by ${viewport.height} pixels`
        yield* signInAs(page, 1)
        yield* act(() => page.goto("/write"))
        yield* act(() => page.getByRole("toolbar").waitFor())
        const names = yield* walk(page, at)
        assert.deepStrictEqual(
          names.filter((name) => name !== "Save draft"),
          [
            "Skip to content",
            "← Desk",
            "Bold",
            "Preview",
            "Publish…",
            "Title",
            "The part that everyone reads",
            "+ Add a paid part",
            "Add a picture",
            "Files for buyers"
          ],
          at
        )
        const key = (name: string) => act(() => page.keyboard.press(name))
        const type = (text: string) => act(() => page.keyboard.type(text))
        yield* backTo(page, "Title")
        yield* type("Without a mouse")
        yield* key("Tab")
        yield* type("Read it loud")
        // The tools are one stop, with arrows within, and leave the focus in the text.
        for (let letters = 0; letters < "loud".length; letters++) yield* key("Shift+ArrowLeft")
        yield* backTo(page, "Bold")
        yield* key("ArrowRight")
        yield* key("ArrowLeft")
        yield* key("Enter")
        const free = page.getByLabel("The part that everyone reads", { exact: true })
        assert.strictEqual(yield* act(() => free.inputValue()), "Read it **loud**", at)
        assert.strictEqual((yield* focused(page))[0], "The part that everyone reads", at)
        yield* key("Tab")
        assert.strictEqual((yield* focused(page))[0], "+ Add a paid part", at)
        yield* key("Enter")
        yield* act(() => page.locator("#paid:focus").waitFor())
        assert.deepStrictEqual(yield* focused(page), ["The part that you sell", true, true], at)
        yield* type("The rest of it")
        yield* walk(page, `${at}, with a paid part`)
        yield* backTo(page, "Publish…")
        yield* key("Enter")
        yield* act(() => page.getByText("What you decide").waitFor())
        yield* walk(page, `${at}, on the page of decisions`)
        assert.match(page.url(), /\/publish$/)
      }
    })
  )
})
