import { assert, describe, it } from "@effect/vitest"
import {
  HTML_BYTES_MAX,
  type MailedPost,
  postMailOf,
  withFooter
} from "../../../src/engagement/subscribers/mailings/postMail.ts"

const post: MailedPost = {
  title: "On pennies",
  author: "Ada",
  url: "https://press.test/@ada/on-pennies",
  language: "en",
  priceXno: null,
  html: "<p>A penny.</p>",
  markdown: "A penny."
}

const footer = {
  author: "Ada",
  siteName: "Press",
  origin: "https://press.test",
  endUrl: "https://press.test/subscriptions/end/token",
  postalAddress: "1 Penny Lane\nLondon",
  pages: [{ title: "Imprint", url: "https://press.test/pages/imprint" }]
}

const whole = (members: Partial<MailedPost> = {}) => withFooter(postMailOf({ ...post, ...members }), footer)

describe("the mail about a post", () => {
  it("The mail of a post ends with the reason, the link to end it, the pages of the site and the postal address", () => {
    const { html, text } = whole()
    for (const part of [
      "you subscribed to Ada, who writes on Press",
      footer.endUrl,
      "Imprint",
      "1 Penny Lane London"
    ]) {
      assert.include(html, part)
      assert.include(text, part)
    }
    assert.match(html, /<\/html>\n$/)
  })

  it("The mail of a post names no colours, runs nothing, and has styles on elements alone", () => {
    const { html } = whole({ html: '<h2>One</h2><p>Two</p><img src="https://press.test/a.png" alt="A">' })
    assert.notMatch(html, /<style|<script|<form|@font-face|(?<![-\w])color:(?!inherit)|background/)
    assert.include(html, '<h2 style="')
    assert.include(html, "max-width:100%")
    assert.include(html, '<meta name="color-scheme" content="light dark">')
  })

  it.each(["a", "é", "я", "漢", "😀"])(
    "The mail of a post is cut between blocks when its text of %s is too long",
    (letter) => {
      const block = `<p>${letter.repeat(200)}</p>`
      const blocks = (count: number) => whole({ html: block.repeat(count) }).html
      const { html, isCut } = postMailOf({ ...post, html: block.repeat(2000) })
      assert.isTrue(isCut)
      assert.include(html, "Read on")
      assert.isAtMost(Buffer.byteLength(blocks(2000)), HTML_BYTES_MAX)
      assert.isAbove(Buffer.byteLength(blocks(2000)), HTML_BYTES_MAX - 8_000)
      assert.lengthOf(html.match(/<p /g) ?? [], (html.match(/<\/p>/g) ?? []).length)
      assert.isFalse(postMailOf({ ...post, html: block.repeat(10) }).isCut)
    }
  )

  it("The mail of a paid post asks for money only after all that everyone may read", () => {
    const html = "<p>A penny.</p>".repeat(5000)
    const paid = { ...post, priceXno: "0.25" }
    const long = postMailOf({ ...paid, html })
    assert.include(long.html, "Read on</a>")
    assert.include(long.text, `Read on: ${post.url}`)
    assert.notInclude(long.html + long.text, "0.25 XNO")
    const short = postMailOf(paid)
    assert.include(short.html, "Keep reading for 0.25 XNO</a>")
    assert.include(short.text, `Keep reading for 0.25 XNO: ${post.url}`)
  })

  it("A quotation and a list are indented at the side where the language begins, and code is not turned around", () => {
    const text = "<blockquote><p>A</p></blockquote><ul><li>B</li></ul><pre><code>a = 1</code></pre>"
    for (const [language, side] of [
      ["en", "left"],
      ["ar", "right"]
    ] as const) {
      const { html } = postMailOf({ ...post, language, html: text })
      assert.match(html, new RegExp(`<blockquote style="[^"]*border-${side}:`))
      assert.match(html, new RegExp(`<ul style="[^"]*padding-${side}:`))
      assert.match(html, /<pre style="[^"]*direction:ltr/)
    }
  })

  it("A table stands in a part that scrolls, and keeps the alignment of its columns", () => {
    const { html } = postMailOf({
      ...post,
      html: '<table><thead><tr><th>A</th><th align="right">B</th></tr></thead></table>'
    })
    assert.match(html, /<div style="[^"]*overflow-x:auto"[^>]*><table style="[^"]*">/)
    assert.include(html, "</table></div>")
    assert.match(html, /<th style="[^"]*" align="left">A/)
    assert.match(html, /<th style="[^"]*" align="right">B/)
  })

  it("The mail of a post is in the language and direction of the post, with a subject of one line", () => {
    const mail = postMailOf({
      ...post,
      language: "ar",
      title: `Two\r\nBcc: x@example.org ${"x".repeat(300)}`
    })
    assert.include(mail.html, '<html lang="ar" dir="rtl">')
    assert.notMatch(mail.subject, /[\r\n]/)
    assert.isAtMost(Array.from(mail.subject).length, 150)
  })
})
