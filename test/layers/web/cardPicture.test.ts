import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { loadCardFont } from "../../../layers/web/cardFont.ts"
import { cardSvg, makeCardPictures } from "../../../layers/web/cardPicture.ts"
import { CARD_HEIGHT, CARD_WIDTH, type CardWords } from "../../../src/platform/ports/Assets.ts"

const font = Effect.promise(loadCardFont)

const words = (changes: Partial<CardWords> = {}): CardWords => ({
  title: "Letters to a landlord",
  name: "Ada Lovelace",
  handle: "ada_writes",
  site: "Pennypress",
  host: "press.test",
  accent: "#9c3d0c",
  ...changes
})

/** Titles that break what is not escaped, measured or bounded. */
const HOSTILE = [
  `"/></svg><script>alert(1)</script><image href="file:///etc/passwd"/>&amp;&lt;`,
  "W".repeat(200),
  "a ".repeat(100),
  "\u{202e}drow\u{200b}\u{feff}",
  "\u{0}\u{1b}[31m\ud800",
  "👩‍👩‍👧 1️⃣ 🇺🇦",
  "Z̷͕͌a̸͈͝l̶͇̚g̴̰͝o̷",
  "",
  "日本語の題名",
  "כותרת",
  "عنوان"
]

describe("the picture of a shared link", () => {
  it.effect("Latin, Cyrillic, Greek and Vietnamese have glyphs on a machine without fonts", () =>
    Effect.gen(function* () {
      const { drawable } = yield* font
      for (const title of [
        "Žižkov, Łódź, İstanbul: “naïve” — 25 €",
        "Почему ґанок їде в объезд",
        "Γράμματα προς τον ιδιοκτήτη, ᾠδή",
        "Những lá thư gửi chủ nhà"
      ])
        assert.strictEqual(drawable(title), title.normalize("NFC"))
    })
  )

  it.effect(
    "A text with a letter that has no glyph is not drawn, and symbols without one become spaces",
    () =>
      Effect.gen(function* () {
        const { drawable } = yield* font
        for (const title of ["日本語", "A 日 B", "שלום", "عنوان", "हिन्दी", "🚀", "\u{202e}", ""])
          assert.isUndefined(drawable(title), title)
        assert.strictEqual(drawable("Launch 🚀 day\u{200b} A→B"), "Launch day A B")
        assert.strictEqual(drawable("\u{202e}abc\u{202c}\n\td"), "abc d")
        assert.strictEqual(drawable("Ｆｕｌｌ 𝐁𝐨𝐥𝐝 ① ﬁ"), "Full Bold 1 fi")
        assert.strictEqual(drawable("e\u{301}"), "é")
        assert.isAtMost(drawable("㎏".repeat(200))?.length ?? 0, 300)
      })
  )

  it.effect(
    "A picture is drawn from outlines alone: it has no text, no link and nothing from elsewhere",
    () =>
      Effect.gen(function* () {
        const it = yield* font
        for (const title of HOSTILE) {
          const svg = cardSvg(it, words({ title, name: title, site: title }))
          assert.match(
            svg,
            /^<svg xmlns="[^"]+" width="1200" height="630">(<rect [a-z0-9 ="#%]+\/>|<path fill="#[0-9a-f]{6}" d="[MLQCZ0-9. -]*"\/>)+<\/svg>$/,
            title
          )
          assert.isBelow(svg.length, 400_000)
        }
      })
  )

  it.effect("Every outline lies on the picture, in at most five lines", () =>
    Effect.gen(function* () {
      const it = yield* font
      const long = ["Mmmmm ".repeat(34), "W".repeat(200), "Ж".repeat(200), "i".repeat(200), "One"]
      for (const title of long) {
        const svg = cardSvg(
          it,
          words({ title, name: "W".repeat(50), handle: "W".repeat(30), site: "W".repeat(80) })
        )
        const outlines = [...svg.matchAll(/d="([^"]*)"/g)].map(([, d = ""]) => d)
        // The site, the author and the handle have lines of their own.
        assert.isAtMost(outlines.length, 5 + 3)
        for (const outline of outlines)
          for (const [, x, y] of outline.matchAll(/[ML](\S+) ([^MLQCZ]+)/g)) {
            assert.isTrue(Number(x) >= 78 && Number(x) <= CARD_WIDTH - 78, `${title} ${x}`)
            assert.isTrue(Number(y) >= 70 && Number(y) <= CARD_HEIGHT - 30, `${title} ${y}`)
          }
      }
    })
  )

  it.effect("The author stands where a title cannot be drawn, and the handle where a name cannot", () =>
    Effect.gen(function* () {
      const it = yield* font
      const svg = (changes: Partial<CardWords>) => cardSvg(it, words(changes))
      assert.strictEqual(svg({ title: "日本語" }), svg({ title: "Ada Lovelace" }))
      assert.strictEqual(svg({ title: "日本語", name: "名前" }), svg({ title: "@ada_writes", name: "名前" }))
      assert.strictEqual(svg({ site: "新聞" }), svg({ site: "press.test" }))
    })
  )

  it.effect("The file is a small PNG of 1200 by 630 pixels, and the same words draw the same picture", () =>
    Effect.gen(function* () {
      const draw = yield* makeCardPictures
      for (const title of ["Letters to a landlord", ...HOSTILE]) {
        const bytes = yield* draw(words({ title }))
        const { format, height, width } = yield* Effect.promise(() => sharp(bytes).metadata())
        assert.deepStrictEqual([format, width, height], ["png", CARD_WIDTH, CARD_HEIGHT], title)
        assert.isBelow(bytes.length, 100_000, title)
      }
      assert.deepStrictEqual(yield* draw(words()), yield* draw(words()))
      assert.notDeepEqual(yield* draw(words()), yield* draw(words({ title: "Letters to a tenant" })))
    })
  )
})
