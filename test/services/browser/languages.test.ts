import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commenterOf } from "../../support/actors/commenter.ts"
import { act, clean, site, windowOf } from "./site.ts"

const TEXTS = {
  ar: {
    title: "رسالة إلى مالك الشقة",
    description: "كيف تطلب إصلاح السقف",
    freeContentMarkdown: "السقف يقطر منذ ثلاثة أيام[^1].\n\n[^1]: منذ يوم الجمعة.",
    paidContentMarkdown: "## النص\n\nالرسالة التي أصلحت السقف. ".repeat(40),
    said: "شكرًا جزيلًا",
    unlock: "افتح هذا المقال · 0.25 XNO",
    copy: "نسخ الرابط",
    copied: "تم النسخ",
    ago: "قبل 3 ساعات"
  },
  he: {
    title: "מכתב לבעל הדירה",
    description: "איך מבקשים תיקון של תקרה",
    freeContentMarkdown: "התקרה נוטפת כבר שלושה ימים[^1].\n\n[^1]: מיום שישי.",
    paidContentMarkdown: "## הנוסח\n\nהמכתב שתיקן את התקרה. ".repeat(40),
    said: "תודה רבה",
    unlock: "פתיחת הפוסט · 0.25 XNO",
    copy: "העתקת קישור",
    copied: "הועתק",
    ago: "לפני 3 שעות"
  },
  de: {
    title: "Brief an die Vermieterin",
    description: "Wie man um eine dichte Decke bittet",
    freeContentMarkdown: "Die Decke tropft seit drei Tagen[^1].\n\n[^1]: Seit Freitag.",
    paidContentMarkdown: "## Der Wortlaut\n\nDer Brief, der die Decke reparierte. ".repeat(40),
    said: "Herzlichen Dank",
    unlock: "Freischalten · 0.25 XNO",
    copy: "Link kopieren",
    copied: "Kopiert",
    ago: "vor 3 Stunden"
  },
  ja: {
    title: "大家さんへの手紙",
    description: "天井の修理を頼むには",
    freeContentMarkdown: "三日前から天井が雨漏りしています[^1]。\n\n[^1]: 金曜日からです。",
    paidContentMarkdown: "## 本文\n\n天井を直してもらえた手紙です。".repeat(40),
    said: "ありがとうございます",
    unlock: "この記事を購入 · 0.25 XNO",
    copy: "リンクをコピー",
    copied: "コピーしました",
    ago: "3 時間前"
  }
} as const

const HOUR = 3_600_000

describe("posts in other languages in a real browser", () => {
  it.live("A post has the words of its language around it, and axe finds nothing there", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_languages", { XNO_RATE: "0.85 USD" })
      const { author, overWire } = press
      const reader = yield* overWire(commenterOf(2))
      for (const [language, { ago, copied, copy, said, unlock, ...text }] of Object.entries(TEXTS)) {
        const post = yield* overWire(
          author.published({
            ...text,
            language,
            slug: `letter-${language}`,
            enablePaywall: true,
            priceXno: "0.25"
          })
        )
        const { id } = yield* overWire(reader.say(post.id, said))
        yield* overWire(author.say(post.id, said, { parent: id }))
        const path = `/@${author.handle}/letter-${language}`
        for (const [colorScheme, width] of [
          ["light", 1280],
          ["dark", 375]
        ] as const) {
          const tab = yield* windowOf(press, {
            colorScheme,
            viewport: { width, height: 800 },
            permissions: ["clipboard-read", "clipboard-write"]
          })
          const { page } = tab
          yield* act(() => page.goto(path))
          const time = page.locator("time.dt-published")
          const at = Date.parse((yield* act(() => time.getAttribute("datetime"))) ?? "")
          yield* act(() => page.clock.setFixedTime(at + 3 * HOUR))
          yield* act(() => page.goto(path))
          const name = `${language} ${colorScheme} ${width}`
          yield* clean(tab, name)
          assert.strictEqual(yield* act(() => time.innerText()), ago, name)
          assert.strictEqual(yield* act(() => page.locator(".wall button").innerText()), unlock, name)
          yield* act(() => page.getByRole("button", { name: copy, exact: true }).click())
          yield* act(() => page.locator("#live", { hasText: copied }).waitFor({ state: "attached" }))
          yield* act(() => page.goto(`${path}/comments`))
          yield* clean(tab, `comments ${name}`)
          yield* act(() => page.context().close())
        }
      }
    })
  )
})
