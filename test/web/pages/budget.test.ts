import { readFileSync } from "node:fs"
import { brotliCompressSync, constants } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { makeHighlight } from "../../../layers/threads/highlighting.ts"
import { trusted } from "../../../src/platform/pages/html.ts"
import { documentOf } from "../../../src/platform/pages/layout.ts"
import { pageText } from "../../../src/publishing/content/html/pageText.ts"
import { postPage } from "../../../src/web/pages/postPage.ts"
import { cardView, commentView, postView, site } from "./views.ts"

/** English prose in Markdown, longer than what is taken of it. */
const PROSE = ["src/web/README.md", "src/payments/README.md", "layers/ONE-MACHINE.md"]
  .map((path) => readFileSync(path, "utf8"))
  .join("\n")

const TEXT_LENGTH = 6_000
const COMMENTS = 20
const COMMENT_LENGTH = 280
/** Bytes that a server sends before it waits for the first acknowledgement. */
const FIRST_FLIGHT = 14_000

const compressed = (text: string) =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }).byteLength

describe("the bytes of a page", () => {
  it("A text of 6 kB, 20 Comments and four other Posts arrive in the first round trip", () => {
    const said = (n: number) =>
      PROSE.slice(TEXT_LENGTH + n * COMMENT_LENGTH, TEXT_LENGTH + (n + 1) * COMMENT_LENGTH)
    const threads = Array.from({ length: COMMENTS }, (_, n) =>
      commentView({
        id: `0190f3b0-0000-7000-8000-${String(n * 7919).padStart(12, "0")}`,
        content: said(n),
        author: { ...commentView().author, name: `Reader ${n}`, handle: `reader_${n}`, avatarUrl: null }
      })
    )
    const page = postPage(
      postView({
        text: trusted(pageText(PROSE.slice(0, TEXT_LENGTH), makeHighlight()).html),
        discussion: { isOpen: true, count: COMMENTS, threads, next: null },
        related: [1, 2, 3, 4].map((n) =>
          cardView({
            title: `${said(n).slice(0, 60)}`,
            description: said(n),
            picture: `${site.baseUrl}/media/0197a1b2-${n}7c3-7000-8000-5d1c9e0f2b7${n}-320.webp`
          })
        )
      }),
      site
    )
    const text = documentOf(site, page)
    assert.isAbove(text.length, TEXT_LENGTH + COMMENTS * COMMENT_LENGTH, "all of it is on the page")
    assert.isAtMost(compressed(text), FIRST_FLIGHT)
  })
})
