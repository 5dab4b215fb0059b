import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { crc32, deflateSync } from "node:zlib"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readSiteFiles } from "../../../layers/site/siteFiles.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { read } from "../config/problems.ts"

const filesOf = (env: Record<string, string>) =>
  Effect.flatMap(read(env), readSiteFiles).pipe(Effect.provide(NodeServices.layer))

const problemsOf = (env: Record<string, string>) =>
  Effect.map(Effect.flip(filesOf(env)), ({ message }) =>
    message
      .split("\n")
      .slice(1)
      .map((line) => line.trim())
  )

/** Writes files into a folder of their own, which ends with the test. */
const folderOf = (files: Readonly<Record<string, string | Uint8Array>>) =>
  Effect.tap(temporaryDirectory, (folder) =>
    Effect.sync(() => {
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
    })
  )

const logoProblem = Effect.fnUntraced(function* (content: string | Uint8Array) {
  const folder = yield* folderOf({ logo: content })
  const [problem, ...others] = yield* problemsOf({ SITE_LOGO: join(folder, "logo") })
  assert.isEmpty(others)
  return problem ?? ""
})

const chunk = (type: string, data: Uint8Array) => {
  const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
  bytes.writeUInt32BE(data.length, 0)
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4)
  return bytes
}

const png = (width: number, height: number) => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.alloc((width + 1) * height))),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const svg = (content: string, attributes = 'viewBox="0 0 64 32"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`

describe("the logo of the site", () => {
  it.effect("An SVG is taken as it is, and known by its content", () =>
    Effect.gen(function* () {
      for (const content of [
        svg("<script>alert(1)</script>"),
        `\uFEFF<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- Mara -->\n${svg("<text>Mara</text>")}`,
        "<svg version='1.1'\n  xmlns = 'http://www.w3.org/2000/svg' width='64'/>"
      ]) {
        const folder = yield* folderOf({ "logo.png": content })
        const { siteLogo } = yield* filesOf({ SITE_LOGO: join(folder, "logo.png") })
        assert.strictEqual(siteLogo?.type, "image/svg+xml")
        assert.strictEqual(Buffer.from(siteLogo!.bytes).toString(), content)
      }
    })
  )

  it.effect("A PNG is taken, and known by its bytes", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ "logo.svg": png(40, 10) })
      const { siteLogo } = yield* filesOf({ SITE_LOGO: join(folder, "logo.svg") })
      assert.strictEqual(siteLogo?.type, "image/png")
    })
  )

  it.effect("A file that is neither an SVG nor a PNG, or too large, is refused in one sentence", () =>
    Effect.gen(function* () {
      const nothing = "is neither a PNG nor"
      for (const [content, reason] of [
        ["", nothing],
        ["<html/>", nothing],
        ["GIF89a", nothing],
        ["<svg viewBox='0 0 1 1'/>", nothing],
        [new Uint8Array([0xff, 0xfe, 0x3c, 0]), nothing],
        [png(2049, 2000), "is 2049 by 2000; make no side longer than 2048 pixels"],
        [png(4, 4).subarray(0, 60), "is a damaged PNG"],
        [svg(`<text>${"x".repeat(103_000)}</text>`), "has 101 KiB; make it at most 100 KiB"]
      ] as const) {
        const problem = yield* logoProblem(content)
        assert.include(problem, `SITE_LOGO: logo ${reason}`)
        assert.notInclude(problem, "\n")
      }
      const folder = yield* temporaryDirectory
      assert.deepStrictEqual(yield* problemsOf({ SITE_LOGO: join(folder, "none.svg") }), [
        "SITE_LOGO: none.svg cannot be read; check its path and permissions"
      ])
      assert.match((yield* problemsOf({ SITE_LOGO: folder })).join(), /is not a file/)
    })
  )
})

describe("the pages of the site", () => {
  it.effect("Pages have the title of their first heading, in the order in which readers look for them", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({
        "house-rules.md": "\uFEFFHouse *rules* & more\n===\n\nBe kind.",
        "privacy.md": "# Privacy\n\n## What we keep\n\nNothing.\r\n",
        "imprint.md": "Before\n\n# Imprint of `Mara`  #\n\nMara Lindqvist",
        "terms.md": "# Terms",
        "about.md": "# About *us*\n\nUs.",
        ".DS_Store": new Uint8Array([0xff])
      })
      symlinkSync(join(folder, "terms.md"), join(folder, "zebra.md"))
      const { sitePages } = yield* filesOf({ SITE_PAGES: folder })
      assert.deepStrictEqual(sitePages, [
        { name: "imprint", title: "Imprint of Mara", markdown: "Before\n\n\nMara Lindqvist" },
        { name: "terms", title: "Terms", markdown: "" },
        { name: "privacy", title: "Privacy", markdown: "\n## What we keep\n\nNothing.\n" },
        { name: "about", title: "About us", markdown: "\nUs." },
        { name: "house-rules", title: "House rules & more", markdown: "\nBe kind." },
        { name: "zebra", title: "Terms", markdown: "" }
      ])
    })
  )

  it.effect("Each file that is no page is refused with its name, its line and the reason", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({
        "a.md": "# A\n\nText\n\n<div>x</div>",
        "b.md": "No heading",
        "c.md": "---\ntitle: C\n---\n\n# C",
        "d.md": "# D\n\n[x](javascript:alert(1))",
        "e.md": "\n# ![](https://example.org/a.png)\n",
        "f.md": new Uint8Array([0x23, 0x20, 0xff]),
        "g.md": `# ${"x".repeat(81)}`,
        "h.md": `# H\n\n${"x".repeat(200_000)}`,
        "l.md": new Uint8Array(800_001),
        "i.md": `# I\n\n${">".repeat(5_000)}`,
        "j.md": "",
        "Imprint.md": "# Imprint",
        "photo.png": "x",
        "a b.md": "# A b"
      })
      mkdirSync(join(folder, "k.md"))
      const name =
        "Only files such as imprint.md or house-rules.md are pages, with small letters, digits and hyphens. Keep others elsewhere"
      const heading = "Begin the page with a heading such as # Imprint, which is its title"
      assert.sameMembers(
        yield* problemsOf({ SITE_PAGES: folder }),
        [
          "a.md, line 5: Write HTML as Markdown, or put it in backticks",
          `b.md, line 1: ${heading}`,
          "c.md, line 1: Remove the front matter, up to line 3: it would be shown as text",
          "d.md, line 3: Link to an https:// address, a path such as /about, a heading such as #part-two, or a mailto:, tel: or nano: address",
          "e.md, line 2: Write words into the first heading, which is the title of the page",
          "f.md, line 1: The file is not UTF-8. Save it again as UTF-8",
          "g.md, line 1: Shorten the first heading to 80 characters: it is the title of the page",
          "h.md, line 1: The file is longer than 200000 characters. Divide it into several pages",
          "l.md, line 1: The file is longer than 200000 characters. Divide it into several pages",
          "i.md, line 1: Simplify the text: its brackets, lists or quotations nest too deeply",
          `j.md, line 1: ${heading}`,
          `Imprint.md: ${name}`,
          `photo.png: ${name}`,
          `a b.md: ${name}`,
          `k.md: ${name}`
        ].map((it) => `SITE_PAGES: ${it}`)
      )
    })
  )

  it.effect("A folder that is missing, or has too many files, is refused, and an empty one is not", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryDirectory
      assert.isEmpty((yield* filesOf({ SITE_PAGES: folder })).sitePages)
      assert.deepStrictEqual(yield* problemsOf({ SITE_PAGES: join(folder, "none") }), [
        `SITE_PAGES: ${join(folder, "none")} is not a folder that can be read. Check its path and permissions`
      ])
      const many = yield* folderOf(
        Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`p${at}.md`, "# P"]))
      )
      assert.deepStrictEqual(yield* problemsOf({ SITE_PAGES: many }), [
        `SITE_PAGES: ${many} has 21 files. Keep at most 20: the footer links each`
      ])
    })
  )

  it.effect("Problems of the logo and of the pages are told together", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf({ "a.md": "none" })
      const problems = yield* problemsOf({ SITE_PAGES: folder, SITE_LOGO: folder })
      assert.deepStrictEqual(
        problems.map((it) => it.split(":")[0]),
        ["SITE_LOGO", "SITE_PAGES"]
      )
    })
  )
})
