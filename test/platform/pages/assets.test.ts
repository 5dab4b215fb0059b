import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { brotliCompressSync, constants } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as AssetsFiles from "../../../layers/web/AssetsFiles.ts"
import { Assets } from "../../../src/platform/ports/Assets.ts"

const read = (name: string) => readFileSync(`src/platform/pages/assets/${name}`, "utf8")
const css = read("reader.css")

/** Returns the bytes of a file on the wire. */
const compressed = (text: string) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).byteLength

/** The colours of the stylesheet, light and dark. */
const colours = new Map(
  [...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map(
    ([, name, light, dark]) => [name!, { light: light!, dark: dark! }] as const
  )
)

const linear = (channel: number) => {
  const value = channel / 255
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
}

const luminance = (colour: string) => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    linear(Number.parseInt(colour.slice(at, at + 2), 16))
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns the contrast of two colours as WCAG 2 defines it. */
const contrast = (one: string, other: string) => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const TEXT = 4.5
const CONTROL = 3

/** Pairs of colours that stand on each other, and the least contrast of each. */
const pairs: ReadonlyArray<readonly [on: string, under: string, least: number]> = [
  ...["ink", "soft", "accent", "good", "bad"].flatMap(
    (it) =>
      [
        [it, "paper", TEXT],
        [it, "wash", TEXT]
      ] as const
  ),
  ...["k", "s", "n", "f", "c"].map((it) => [`code-${it}`, "wash", TEXT] as const),
  ["on-accent", "accent", TEXT],
  ["edge", "paper", CONTROL],
  ["edge", "wash", CONTROL],
  ["focus", "paper", CONTROL],
  ["focus", "wash", CONTROL]
]

describe("the files of the pages", () => {
  for (const [on, under, least] of pairs) {
    it(`The colour ${on} is readable on ${under}, light and dark`, () => {
      for (const scheme of ["light", "dark"] as const) {
        const ratio = contrast(colours.get(on)![scheme], colours.get(under)![scheme])
        assert.isAtLeast(ratio, least, scheme)
      }
    })
  }

  it.effect("The stylesheet and the scripts are small", () =>
    Effect.gen(function* () {
      const { scripts, stylesheet } = yield* Assets
      assert.isAtMost(compressed(stylesheet), 6_000)
      assert.isAtMost(compressed(scripts.reader), 3_000)
      assert.isAtMost(scripts.reader.split("\n").length, 150)
      // The page on which an author writes loads all of them.
      const { checkout, importing, publish, ...writing } = scripts
      assert.isAtMost(compressed(checkout), 1_500)
      assert.isAtMost(compressed(publish), 1_200)
      assert.isAtMost(compressed(importing), 1_200)
      const all = Object.values(writing).map(compressed)
      assert.isAtMost(
        all.reduce((sum, bytes) => sum + bytes, 0),
        32_000
      )
    }).pipe(Effect.provide(AssetsFiles.layer))
  )

  it.effect("The stylesheet is served without comments and indentation, and with every rule", () =>
    Effect.gen(function* () {
      const { stylesheet } = yield* Assets
      assert.notMatch(stylesheet, /\n\s/)
      assert.strictEqual(stylesheet.replaceAll(/\s+/g, ""), css.replaceAll(/\/\*[^]*?\*\/|\s+/g, ""))
    }).pipe(Effect.provide(AssetsFiles.layer))
  )

  it.effect("The scripts are served without comments, and with every statement", () =>
    Effect.gen(function* () {
      const { scripts } = yield* Assets
      // The rest of a comment is no code.
      const statements = (js: string) =>
        js.split("\n").filter((line) => !/^\s*(?:\*|\/\/|\/\*\*(?!.*\*\/.))/.test(line))
      for (const [name, text] of Object.entries(scripts)) {
        assert.deepStrictEqual(text.split("\n"), statements(read(`${name}.js`)), name)
        assert.doesNotThrow(() => stripTypeScriptTypes(text), name)
      }
    }).pipe(Effect.provide(AssetsFiles.layer))
  )

  it("The files load nothing from anywhere, and need no attribute of style", () => {
    const scripts = [
      "reader.js",
      "checkout.js",
      "marks.js",
      "tools.js",
      "pasting.js",
      "editor.js",
      "copies.js",
      "editing.js",
      "places.js",
      "pictures.js",
      "sheet.js",
      "publish.js",
      "saving.js",
      "moderating.js"
    ].map(read)
    for (const text of [css, ...scripts, read("icon.svg")])
      assert.notMatch(text.replace("http://www.w3.org/2000/svg", ""), /url\(|@import|https?:|eval|innerHTML/)
  })

  it("Every colour of a text is a token", () => {
    const rules = css.slice(css.indexOf("@layer base {"), css.indexOf("@layer print {"))
    assert.deepStrictEqual([...rules.matchAll(/#[0-9a-f]{3,8}\b(?!-)/gi)].map(String), [])
  })
})
