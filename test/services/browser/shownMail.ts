import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Browser } from "playwright-core"
import { tabOf, violations } from "./browser.ts"
import { act } from "./site.ts"

/** Gmail cuts a mail whose HTML is longer, in bytes. */
const GMAIL_BYTES = 102_000

/** The widest that a picture of a mail is, in pixels. */
const PICTURE_MAX = 560

/** A phone and a window of a desktop, in the colours of the day and of the night. */
const SHOWN = (["light", "dark"] as const).flatMap((colorScheme) =>
  [375, 700].map((width) => ({ colorScheme, width }))
)

/** With `MAIL_SCREENSHOTS=<folder>`, the tests write a picture of each mail there, to look at. */
const folder = process.env["MAIL_SCREENSHOTS"]

/** A mail has no page around it, so that rules about landmarks and the title of a page say nothing about it. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

/** Pictures without words for readers who do not see them, and those that are wider than a mail. */
const WRONG_PICTURES = `[...document.images]
  .filter((it) => !it.alt || it.getBoundingClientRect().width > Math.min(${PICTURE_MAX}, innerWidth))
  .map((it) => it.outerHTML)`

/** What mail programs refuse, or load from elsewhere. */
const REFUSED = `[...document.querySelectorAll("script, style, link, form, iframe, object, svg, video, [onload], [onerror]")]
  .map((it) => it.outerHTML)`

/** Letters that are too small to read on a phone. */
const SMALL = `[...document.querySelectorAll("body *")]
  .filter((it) => it.tagName !== "SUP" && Number.parseFloat(getComputedStyle(it).fontSize) < 13)
  .map((it) => it.outerHTML.slice(0, 80))`

/**
 * Shows a mail as a mail program does, on a phone and on a desktop, light and dark. Asserts that it does not scroll sideways, that
 * axe finds nothing, that its pictures fit and have words, and that it loads pictures alone. `picture` answers for other hosts.
 */
export const shown = Effect.fnUntraced(function* (
  opened: Browser,
  name: string,
  html: string,
  picture: Buffer = Buffer.alloc(0)
) {
  assert.isBelow(Buffer.byteLength(html), GMAIL_BYTES, name)
  for (const { colorScheme, width } of SHOWN) {
    const tab = yield* tabOf(opened, { colorScheme, viewport: { width, height: 800 } })
    const { page } = tab
    const it = `${name} ${colorScheme} ${width}`
    const loaded: Array<string> = []
    page.on("request", (request) => loaded.push(request.resourceType()))
    yield* act(async () => {
      await page.route("https://**", (route) => route.fulfill({ contentType: "image/png", body: picture }))
      await page.setContent(html, { waitUntil: "load" })
    })
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true })
      const path = join(folder, `${name.replaceAll(/\W+/g, "-")}-${width}-${colorScheme}.png`)
      yield* act(() => page.screenshot({ path, fullPage: true }))
    }
    const evaluated = (expression: string) => act(() => page.evaluate<unknown>(expression))
    assert.deepStrictEqual(yield* violations(tab, RULES), [], it)
    assert.isAtMost(Number(yield* evaluated("document.documentElement.scrollWidth - innerWidth")), 0, it)
    for (const wrong of [WRONG_PICTURES, REFUSED, SMALL]) assert.deepStrictEqual(yield* evaluated(wrong), [], it)
    assert.deepStrictEqual([...new Set(loaded)].filter((type) => type !== "image"), [], it)
    assert.deepStrictEqual(tab.errors, [], it)
    yield* act(() => page.context().close())
  }
})
