import { assert, describe, it } from "@effect/vitest"
import { Yaml } from "effect/encoding"
import * as fc from "fast-check"
import { load as jsYaml } from "js-yaml"
import { parse, type ParseOptions, type DocumentOptions, type SchemaOptions } from "yaml"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import {
  type ExportedPost,
  frontMatterOf,
  paidFileOf,
  paidPathOf,
  postFileOf,
  postPathOf
} from "../../../src/publishing/posts/exportedPost.ts"
import { soak } from "../../support/soak.ts"

const plain: ExportedPost = {
  id: PostId.make("0197a1b2-0000-7000-8000-000000000001"),
  title: "Nine degrees",
  date: Timestamp.make("2024-03-02T10:11:12.123456Z"),
  lastmod: Timestamp.make("2025-01-31T00:00:00.000000Z"),
  slug: "nine-degrees",
  description: "On lift",
  isDraft: false,
  language: "en-GB",
  categories: ["Science", "Art & Illustration"],
  canonicalUrl: "https://old.test/nine",
  image: "/media/3f9a0c11d2e4b576.png",
  isPaid: true,
  priceXno: "0.5",
  creationMethod: "human_written",
  creationDetails: "By hand: twice",
  creationAttested: true,
  commentsEnabled: false,
  mailReaders: false,
  ogTitle: "yes",
  ogDescription: "no",
  categoryIds: [27, 2],
  free: "# Lift\r\n\n",
  paid: "Nine"
}

const empty: ExportedPost = {
  ...plain,
  title: "",
  date: null,
  description: "",
  isDraft: true,
  categories: [],
  canonicalUrl: null,
  image: null,
  isPaid: false,
  priceXno: null,
  creationMethod: null,
  creationDetails: null,
  creationAttested: false,
  commentsEnabled: true,
  mailReaders: true,
  ogTitle: null,
  ogDescription: null,
  categoryIds: [null, null],
  free: null,
  paid: null
}

/** Returns the lines between those of a front matter. */
const innerOf = (frontMatter: string) => frontMatter.slice("---\n".length, -"---\n".length)

const with11 = (version: "1.1" | "1.2") => (text: string) => {
  const options: ParseOptions & DocumentOptions & SchemaOptions = { version }
  return parse(text, options)
}

/** Readers of YAML, by both versions of its rules. */
const readers: ReadonlyArray<(text: string) => any> = [
  with11("1.2"),
  with11("1.1"),
  jsYaml as (text: string) => any,
  (text) => Yaml.parse(text)
]

/** Strings that readers of YAML take for something else when nothing quotes them. */
const hard = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme-composite" }),
  fc.constantFrom(
    ..."yes|no|on|~|null|true|1.0|0x1F|0o17|12:30:45|2024-03-02|1e3|.inf|- a|# a|a: b|a #b|&a|*a|!a|@a|`a`|%a|{a|[a|]|---|...|<<|=|? a|\"|'|\\|\\u0041|\t|\u0085|\u2028|\u2029|\ufeff|\u007f|\u00a0|\u{1f600}|{{ a }}|{% a %}|{{< a >}}".split(
      "|"
    ),
    "a\nb",
    "\n---\n",
    " a ",
    "a\r\n\r\nb\n"
  )
)

/** PostgreSQL keeps no NUL, and no half of a pair. */
const kept = hard.map((text) => text.toWellFormed().replaceAll("\0", ""))

describe("the files of a post in an export", () => {
  it("The front matter has its members in a fixed order, and strings in quotes", () => {
    assert.strictEqual(
      postFileOf(plain),
      `---
title: "Nine degrees"
date: 2024-03-02T10:11:12.123456Z
lastmod: 2025-01-31T00:00:00.000000Z
slug: "nine-degrees"
description: "On lift"
draft: false
lang: "en-GB"
categories: ["Science", "Art & Illustration"]
canonicalUrl: "https://old.test/nine"
image: "/media/3f9a0c11d2e4b576.png"
render_with_liquid: false
pennypress:
  id: "0197a1b2-0000-7000-8000-000000000001"
  access: paid
  priceXno: "0.5"
  creationMethod: human_written
  creationDetails: "By hand: twice"
  creationAttested: true
  commentsEnabled: false
  mailReaders: false
  ogTitle: "yes"
  ogDescription: "no"
  categoryIds: [27, 2]
---

# Lift\r

`.concat("\n")
    )
    assert.strictEqual(paidFileOf(plain), "Nine\n")
    assert.strictEqual(postPathOf(plain), "posts/2024-03-02-nine-degrees.md")
    assert.strictEqual(paidPathOf(plain), "paid/nine-degrees.md")
  })

  it("A member without a value is absent", () => {
    assert.strictEqual(
      postFileOf(empty),
      `---
lastmod: 2025-01-31T00:00:00.000000Z
slug: "nine-degrees"
draft: true
lang: "en-GB"
render_with_liquid: false
pennypress:
  id: "0197a1b2-0000-7000-8000-000000000001"
  access: free
  creationAttested: false
  commentsEnabled: true
---


`
    )
    assert.isUndefined(paidFileOf(empty))
    assert.strictEqual(postPathOf(empty), "drafts/nine-degrees.md")
    assert.include(frontMatterOf({ ...plain, categoryIds: [4, null] }), "\n  categoryIds: [4, null]\n")
  })

  it("Every reader of YAML gets the same strings", () => {
    fc.assert(
      fc.property(kept, kept, kept, kept, (title, description, ogTitle, creationDetails) => {
        const frontMatter = frontMatterOf({ ...plain, title, description, ogTitle, creationDetails })
        // Programs look for the line that ends a front matter before they parse it.
        assert.strictEqual(frontMatter.split(/^---[\t ]*\r?$/mu).length, 3)
        for (const read of readers) {
          const { pennypress, ...all } = read(innerOf(frontMatter))
          assert.strictEqual(all.title ?? "", title)
          assert.strictEqual(all.description ?? "", description)
          assert.strictEqual(all.slug, plain.slug)
          assert.strictEqual(all.draft, false)
          assert.strictEqual(pennypress.ogTitle ?? "", ogTitle)
          assert.strictEqual(pennypress.creationDetails ?? "", creationDetails)
          assert.deepStrictEqual(pennypress.categoryIds, [27, 2])
        }
      }),
      { numRuns: soak(500, 20_000) }
    )
  })

  it("A section is everything between the empty line and the last end of a line", () => {
    fc.assert(
      fc.property(kept, kept, (free, paid) => {
        const post = { ...plain, free, paid }
        const file = postFileOf(post)
        const head = frontMatterOf(post)
        assert.isTrue(file.startsWith(`${head}\n`) && file.endsWith("\n"))
        assert.strictEqual(file.slice(head.length + 1, -1), free)
        assert.strictEqual(paidFileOf(post)?.slice(0, -1) ?? "", paid)
      })
    )
  })
})
