import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { soak } from "../../support/soak.ts"
import { browser, tabOf, violations } from "./browser.ts"
import { act } from "./site.ts"

/** Gmail cuts a mail whose HTML is longer, in bytes. */
const GMAIL_BYTES = 102_000

/** The widest that a picture of a mail is, in pixels. */
const PICTURE_MAX = 560

/** With `MAIL_SCREENSHOTS=<folder>`, the tests write a picture of each mail there, to look at. */
const folder = process.env["MAIL_SCREENSHOTS"]

/** The colours and widths of windows: a phone at night and a desktop by day, or each of both in both. */
const WINDOWS = (["dark", "light"] as const)
  .flatMap((colorScheme, scheme) =>
    [375, 700].map((width, size) => ({ colorScheme, width, isShort: scheme === size }))
  )
  .filter(({ isShort }) => isShort || folder !== undefined || soak(0, 1) === 1)

/** A mail has no page around it, so that rules about landmarks and the title of a page say nothing about it. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]

/** Finds what scrolls sideways, pictures without words or too wide, small letters, and what mail programs refuse. */
const FAULTS = `(() => {
  const beyond = document.documentElement.scrollWidth - innerWidth
  const all = [...document.querySelectorAll("body *")]
  const named = (what, elements) => elements.map((it) => what + ": " + it.outerHTML.slice(0, 120))
  return [
    ...(beyond > 0 ? ["it scrolls sideways by " + beyond] : []),
    ...named("no words", [...document.images].filter((it) => !it.alt)),
    ...named("too wide", [...document.images].filter((it) => it.getBoundingClientRect().width > ${PICTURE_MAX})),
    ...named("too small", all.filter((it) =>
      !it.closest("sup") && Number.parseFloat(getComputedStyle(it).fontSize) < 13)),
    ...named("refused", [...document.querySelectorAll("script, style, link, form, iframe, object, svg, video")])
  ]
})()`

/** Axe takes a page without a background for a white one. This names the one that the browser paints. */
const PAINT = `document.documentElement.style.background = "Canvas"`

/**
 * Opens windows of mail programs, on a phone and on a desktop, light and dark. Returns a function that shows a mail in each, and
 * returns what is wrong with it: it scrolls sideways, axe finds something, a picture is too wide or has no words, it loads more
 * than pictures. `picture` answers for other hosts.
 */
export const mailWindows = Effect.fnUntraced(function* (picture: Buffer) {
  const opened = yield* browser
  const windows = yield* Effect.forEach(WINDOWS, ({ colorScheme, width }) =>
    Effect.gen(function* () {
      const tab = yield* tabOf(opened, { colorScheme, viewport: { width, height: 800 } })
      const loaded: Array<string> = []
      tab.page.on("request", (request) => loaded.push(request.resourceType()))
      yield* act(() =>
        tab.page.route(/^https:/, (route) => route.fulfill({ contentType: "image/png", body: picture }))
      )
      return { ...tab, loaded, name: `${width}-${colorScheme}` }
    })
  )
  return (name: string, html: string) =>
    Effect.forEach(windows, ({ errors, loaded, page, ...window }) =>
      Effect.gen(function* () {
        yield* act(() => page.setContent(html, { waitUntil: "load" }))
        if (folder !== undefined) {
          mkdirSync(folder, { recursive: true })
          const path = join(folder, `${name.replaceAll(/\W+/g, "-")}-${window.name}.png`)
          yield* act(() => page.screenshot({ path, fullPage: true }))
        }
        const found = yield* act(() => page.evaluate<ReadonlyArray<string>>(FAULTS))
        yield* act(() => page.evaluate(PAINT))
        const inaccessible = yield* violations({ page, errors }, RULES)
        const others = loaded.splice(0).filter((type) => type !== "image")
        const size = Buffer.byteLength(html)
        return [
          ...found,
          ...inaccessible,
          ...errors.splice(0),
          ...others.map((type) => `it loads a ${type}`),
          ...(size > GMAIL_BYTES ? [`it has ${size} bytes`] : [])
        ].map((it) => `${name} ${window.name}: ${it}`)
      })
    ).pipe(Effect.map((faults) => faults.flat()))
})
