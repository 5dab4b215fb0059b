import { brotliCompressSync, constants } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { makeHighlight } from "../../../layers/threads/highlighting.ts"
import { worthOf } from "../../../src/platform/nano/aboutMoney.ts"
import { html, trusted } from "../../../src/platform/pages/html.ts"
import { directionOf } from "../../../src/platform/pages/language.ts"
import { documentOf } from "../../../src/platform/pages/layout.ts"
import { withLabels } from "../../../src/publishing/content/html/labels.ts"
import { pageText } from "../../../src/publishing/content/html/pageText.ts"
import { commentsPage } from "../../../src/web/pages/commentsPage.ts"
import { postPage } from "../../../src/web/pages/postPage.ts"
import { LANGUAGES, wordsIn } from "../../../src/web/pages/words/wordsIn.ts"
import { validated } from "./documents.ts"
import { BASE, cardView, commentView, postView, site } from "./views.ts"

type Key = keyof typeof LANGUAGES
const keys = Object.keys(LANGUAGES) as ReadonlyArray<Key>
const others = keys.filter((key) => key !== "en-Latn")

/** Words that another language shares with English. */
const SHARED: Readonly<Partial<Record<Key, ReadonlyArray<string>>>> = {
  "fr-Latn": ["pages", "minutes", "sections", "note"]
}
/** Names that have no translation. */
const NAMES = /\b(AI|Nano|XNO)\b/g

/** A phrase of a language in all of its forms: with marks in place of its parts, or for each category of plurals. */
interface Phrase {
  readonly name: string
  readonly texts: ReadonlyArray<string>
  readonly parts: number
  readonly forms: Readonly<Record<string, string>> | undefined
}

const phrasesOf = (key: Key): ReadonlyArray<Phrase> => {
  const formsOf = new Map<unknown, Readonly<Record<string, string>>>()
  const words = LANGUAGES[key]((forms: Readonly<Record<string, string>>) => {
    const say = () => ""
    formsOf.set(say, forms)
    return say
  })
  const phraseOf = (name: string, value: unknown): ReadonlyArray<Phrase> => {
    const forms = formsOf.get(value)
    if (forms !== undefined) return [{ name, texts: Object.values(forms), parts: 0, forms }]
    if (typeof value === "string") return [{ name, texts: [value], parts: 0, forms }]
    if (typeof value === "function") {
      const marks = ["⟦1⟧", "⟦2⟧"].slice(0, value.length).map((mark) => html`${mark}`)
      return [{ name, texts: [String(value(...marks))], parts: value.length, forms }]
    }
    return Object.entries(value as object).flatMap(([inner, it]) => phraseOf(`${name} ${inner}`, it))
  }
  return Object.entries(words).flatMap(([name, value]) => phraseOf(name, value))
}

const english = new Map(phrasesOf("en-Latn").map((phrase) => [phrase.name, phrase]))

const rate = { perXno: 0.85, currency: "USD", at: new Date("2026-11-20T14:03:00Z") }

const TEXT = `A text[^1] with a note[^1].

| a | b |
| - | - |
| 1 | 2 |

[^1]: The note.
`

/** A post that has all words around it. */
const fullView = (language: string) => {
  const words = wordsIn(language)
  const text = pageText(TEXT, makeHighlight()).html
  return postView({
    language,
    title: "Τίτλος",
    description: "Περιγραφή",
    author: { ...postView().author, name: "Άντα", bio: "Βιο", authorKind: "agent" },
    priceXno: "0.25",
    priceWorth: worthOf("0.25", rate, new Date("2026-11-28T00:00:00Z"), words.language),
    rest: { minutes: 4, words: 1_250, isShort: false, pictures: 2, sections: 3, files: 11 },
    sales: 3,
    headings: [1, 2, 3, 4].map((n) => ({ level: 2, id: `h-${n}`, text: `Κεφάλαιο ${n}` })),
    text: trusted(withLabels(text.replaceAll(/>[^<]*[a-z][^<]*</g, "> <"), words)),
    related: [
      cardView({
        title: "Άλλο",
        description: "Άλλο",
        language: "el",
        author: { ...cardView().author, name: "Άντα" }
      })
    ],
    discussion: {
      isOpen: true,
      count: 4,
      next: `${BASE}/@ada_writes/on-pennies/comments?after=1`,
      threads: [
        commentView({
          content: "Σχόλιο",
          author: { ...commentView().author, name: "Μπο" },
          isByAuthor: true,
          replies: [
            commentView({ id: "c2", content: null, author: { ...commentView().author, name: "Μπο" } })
          ],
          moreReplies: 3
        })
      ]
    }
  })
}

/** Parts of pages that are in English everywhere: the site around the page, and the names of categories. */
const ENGLISH_PARTS =
  /<head>[^]*?<\/head>|<header class="top"[^]*?<\/header>|<footer class="end"[^]*?<\/footer>|<a class="skip" href="#main"[^]*?<\/a>|<p class="kicker" lang="en">[^]*?<\/p>/g

/** Returns the texts and labels of a page that readers see or hear, without the site around it. */
const wordsOn = (page: string) => {
  const body = page.replaceAll(ENGLISH_PARTS, "")
  const labels = [...body.matchAll(/(?:aria-label|data-(?:share|copied|saved|not-\w+))="([^"]*)"/g)].map(
    ([, label]) => label ?? ""
  )
  const texts = body
    .split(/<[^>]*>/)
    .map((text) => text.replaceAll(/\s+/g, " ").trim())
    .filter((text) => /\p{L}/u.test(text.replaceAll(/&#?\w+;/g, "")))
  return [...texts, ...labels]
}

const localeOf = (key: Key) => key.replace(/-(Latn|Jpan|Arab|Hebr|Hans)$/, "")

const pagesIn = (language: string) => {
  const view = fullView(language)
  const { discussion, id, title, url, author } = view
  const comments = { ...discussion, language, postId: id, title, url, author, isPart: true }
  return {
    post: documentOf(site, postPage(view, site)),
    comments: documentOf(site, commentsPage(comments)),
    empty: documentOf(site, commentsPage({ ...comments, threads: [], next: null, isPart: false }))
  }
}

describe("the words around a text", () => {
  for (const key of keys) {
    it(`Every phrase in ${key} has words, and shows each of its parts once`, () => {
      for (const { forms, name, parts, texts } of phrasesOf(key)) {
        for (const text of texts) {
          assert.notStrictEqual(text.trim(), "", name)
          for (let part = 1; part <= parts; part++)
            assert.strictEqual(text.split(`⟦${part}⟧`).length, 2, `${name}: ${text}`)
          // A count is in its words, or the words of one category name it.
          if (forms !== undefined) assert.isAtMost(text.split("#").length, 2, name)
        }
        if (forms !== undefined) assert.include(forms["other"], "#", name)
      }
    })

    it(`Every phrase in ${key} has the categories of plurals that counts have`, () => {
      const rules = new Intl.PluralRules(localeOf(key))
      const met = new Set(Array.from({ length: 10_000 }, (_, count) => rules.select(count)))
      const counted = phrasesOf(key).filter(({ forms }) => forms !== undefined)
      assert.isAbove(counted.length, 8)
      for (const { forms, name } of counted) assert.sameMembers(Object.keys(forms ?? {}), [...met], name)
    })
  }

  for (const key of others) {
    it(`No phrase in ${key} is in English`, () => {
      const shared = SHARED[key] ?? []
      const isLatin = key.endsWith("Latn")
      for (const { name, texts } of phrasesOf(key)) {
        const original = english.get(name)
        for (const text of texts) {
          const bare = text.replaceAll(/⟦\d⟧/g, "").replaceAll(NAMES, "")
          if (!isLatin) assert.notMatch(bare, /[A-Za-z]/, name)
          if (!/\p{L}/u.test(bare) || shared.includes(name)) continue
          assert.notInclude(original?.texts ?? [], text, name)
          assert.notMatch(text, /\b(the|your|this|posts?|comments|read|buy)\b/i, name)
        }
      }
    })
  }

  it("A language is found by its script, in any region and spelling", () => {
    for (const [wanted, comments, language] of [
      ["en-GB", "Comments", "en-GB"],
      ["EN", "Comments", "en"],
      ["de-AT", "Kommentare", "de-AT"],
      ["pt-BR", "Comentários", "pt-BR"],
      ["pt-PT", "Comentários", "pt-PT"],
      ["zh", "评论", "zh"],
      ["zh-CN", "评论", "zh-CN"],
      ["zh-Hans-HK", "评论", "zh-Hans-HK"],
      ["zh-Hant", "留言", "zh-Hant"],
      ["zh-TW", "留言", "zh-TW"],
      ["zh-HK", "留言", "zh-HK"],
      ["ar-EG", "التعليقات", "ar-EG"],
      ["iw", "תגובות", "he"],
      ["heb", "תגובות", "he"],
      ["ara", "التعليقات", "ar"],
      ["en-u-nu-arab", "Comments", "en"],
      // In another script than our words.
      ["ja-Latn", "Comments", "en"],
      ["ko", "Comments", "en"],
      ["fa", "Comments", "en"],
      ["und", "Comments", "en"],
      ["not a language", "Comments", "en"],
      ["", "Comments", "en"]
    ] as const) {
      const words = wordsIn(wanted)
      assert.deepStrictEqual([words.comments, words.language], [comments, language], wanted)
      assert.strictEqual(words.direction, directionOf(language), wanted)
      assert.strictEqual(
        directionOf(wanted),
        ["he", "ar"].includes(language.slice(0, 2)) || wanted === "fa" ? "rtl" : "ltr",
        wanted
      )
    }
  })

  it("Counts are written as the region writes them, in the form that the language has for them", () => {
    const texts = (language: string, counts: ReadonlyArray<number>) =>
      counts.map((count) => wordsIn(language).commentCount(count))
    assert.deepStrictEqual(texts("de", [1, 2, 1_250]), ["1 Kommentar", "2 Kommentare", "1.250 Kommentare"])
    assert.deepStrictEqual(texts("de-CH", [1_250]), ["1'250 Kommentare"])
    assert.deepStrictEqual(texts("fr", [0, 1, 2, 1_000_000]), [
      "0 commentaire",
      "1 commentaire",
      "2 commentaires",
      "1\u202f000\u202f000 commentaires"
    ])
    assert.deepStrictEqual(texts("he", [1, 2, 3]), ["תגובה אחת", "שתי תגובות", "3 תגובות"])
    assert.deepStrictEqual(texts("ar", [1, 2, 3, 11, 100]), [
      "تعليق واحد",
      "تعليقان",
      "3 تعليقات",
      "11 تعليقًا",
      "100 تعليق"
    ])
    assert.deepStrictEqual(texts("ar-EG", [3]), ["٣ تعليقات"])
    assert.deepStrictEqual(texts("ja", [1, 2]), ["コメント1件", "コメント2件"])
  })
})

describe("a page around a text", () => {
  const inEnglish = pagesIn("en")

  for (const key of others) {
    it(`The pages of a post in ${key} are valid, and none of their own words are in English`, () => {
      const language = localeOf(key)
      const pages = pagesIn(language)
      for (const name of ["post", "comments", "empty"] as const) {
        const elements = validated(pages[name], `${name} ${key}`)
        const root = elements.find(({ tag }) => tag === "html")
        assert.deepInclude(root?.attributes, { lang: language, dir: directionOf(language) })
        const left = wordsOn(pages[name])
          .filter((it) => wordsOn(inEnglish[name]).includes(it))
          .filter((it) => !/\p{Script=Greek}/u.test(it) && /\p{L}/u.test(it.replaceAll(NAMES, "")))
        // Addresses, names of accounts, and words that are the same in the language.
        assert.deepStrictEqual(
          left.filter((it) => !/^(@\w+|Note 1|Pages|\d min)$|press\.test/.test(it)),
          [],
          name
        )
      }
    })

    it(`The page of a post in ${key} is at most 1 kB longer than in English`, () => {
      const bytesOf = (text: string) =>
        brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).byteLength
      assert.isAtMost(bytesOf(pagesIn(localeOf(key)).post) - bytesOf(inEnglish.post), 1_000)
    })
  }

  it("Each part names the language of its words, and the site around the page stays in English", () => {
    const parts = ["byline", "wall", "about-author", "comments", "related"]
    for (const [language, words, direction] of [
      ["de", "de", "ltr"],
      ["ar", "ar", "rtl"],
      ["fa", "en", "ltr"],
      ["ko-KR", "en", "ltr"]
    ] as const) {
      const elements = validated(pagesIn(language).post)
      const attributesOf = (name: string) =>
        elements.find(({ attributes }) => attributes["class"] === name)?.attributes
      for (const name of parts) {
        assert.strictEqual(attributesOf(name)?.["lang"], words, name)
        if (name !== "byline") assert.strictEqual(attributesOf(name)?.["dir"], direction, name)
      }
      for (const name of ["top", "end"]) assert.deepInclude(attributesOf(name), { lang: "en", dir: "ltr" })
      for (const { attributes, tag } of elements)
        if (tag === "time") assert.strictEqual(attributes["lang"], language)
    }
  })

  it("The wall says its price, its length and its buyers in the language of the post", () => {
    const wallOf = (language: string) => {
      const [wall = ""] = /<section\s+class="wall"[^]*?<\/section>/.exec(pagesIn(language).post) ?? []
      return wall.replaceAll(/<\/?(bdi|strong)[^>]*>/g, "").replaceAll(/\s+/g, " ")
    }
    for (const [language, ...sentences] of [
      [
        "de",
        ">Weiterlesen für 0.25 XNO<",
        "Noch 1.250 Wörter, 4 Minuten, 2 Bilder, 3 Abschnitte, 11 Dateien zum Herunterladen.",
        "3 Personen haben das gekauft.",
        "0.25 XNO sind etwa 0,21 $ (Kurs: 20. November 2026).",
        "Alles geht an Άντα."
      ],
      [
        "ja",
        ">続きを0.25 XNOで読む<",
        "11個。3人が購入しました。0.25 XNOは約$0.21（2026年11月20日のレート）です。お支払いは",
        "全額がΆνταさんに届きます。"
      ],
      [
        "ar",
        ">تابع القراءة مقابل 0.25 XNO<",
        "1,250 كلمة أخرى، 4 دقائق، صورتان، 3 أقسام، 11 ملفًا للتنزيل.",
        "اشترى 3 أشخاص هذا المقال.",
        "0.25 XNO تساوي نحو 0.21 US$ (سعر الصرف: 20 نوفمبر 2026)."
      ]
    ] as const)
      for (const sentence of sentences) assert.include(wallOf(language), sentence)
  })

  it("An amount keeps its direction in a language that reads from the right", () => {
    const { post } = pagesIn("he")
    const amounts = post.match(/[\d.]+(<\/data>)? XNO(<\/bdi>)?/g) ?? []
    assert.isAbove(amounts.length, 6)
    assert.deepStrictEqual(
      amounts.filter((it) => !it.endsWith("</bdi>")),
      []
    )
    assert.notInclude(pagesIn("de").post, "<bdi>0.25")
  })
})

describe("the labels of a rendered text", () => {
  const rendered = pageText(
    `${TEXT}\nA person writes \`<a role="doc-noteref" href="#fn-1" aria-label="Note 1">\` and aria-label="Note 1".`,
    makeHighlight()
  ).html
  const labelsOf = (text: string) => [...text.matchAll(/<[^>]* aria-label="([^"]*)"/g)].map(([, it]) => it)

  it("The labels are those of the language, and the words of the author stay", () => {
    const japanese = withLabels(rendered, wordsIn("ja"))
    assert.deepStrictEqual(labelsOf(japanese), [
      "注1",
      "注1",
      "表",
      "注1から注1まで",
      "注1から本文に戻る",
      "注1から本文に戻る（2か所目）"
    ])
    const bare = (text: string) => text.replaceAll(/(<[^>]*) aria-label="[^"]*"/g, "$1")
    assert.strictEqual(bare(japanese), bare(rendered))
  })

  it("The labels in English are those of the renderer", () => {
    assert.strictEqual(withLabels(rendered, wordsIn("en")), rendered)
    assert.strictEqual(withLabels("<p>One</p>", wordsIn("ja")), "<p>One</p>")
  })
})
