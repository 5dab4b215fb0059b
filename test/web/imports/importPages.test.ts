import { assert, describe, it } from "@effect/vitest"
import { ImportId, ImportItemId, PostId } from "../../../schemas/platform/Ids.ts"
import { type Import, ImportState } from "../../../schemas/publishing/imports/Import.ts"
import { ItemOutcome, type Item } from "../../../schemas/publishing/imports/Item.ts"
import { trusted } from "../../../src/platform/pages/html.ts"
import { documentOf } from "../../../src/platform/pages/layout.ts"
import { importPage, type ImportView } from "../../../src/web/imports/importPage.ts"
import { TOO_MANY } from "../../../src/web/imports/importWords.ts"
import { itemPage } from "../../../src/web/imports/itemPage.ts"
import { startPage } from "../../../src/web/imports/startPage.ts"
import { validated } from "../pages/documents.ts"
import { HOSTILE, site } from "../pages/views.ts"

const AT = "2026-11-21T05:00:00.123456Z" as Import["createdAt"]
const ID = ImportId.make("00000000-0000-4000-8000-000000000001")

const value = (changes: Partial<Import> = {}): Import => ({
  id: ID,
  state: "review",
  kind: "ghost",
  fileName: "export.json",
  byteSize: 4_000_000,
  received: 4_000_000,
  sha256: "ab",
  options: {},
  site: { title: "Old house", url: "https://old.example", language: "en" },
  counts: {
    items: 40,
    new: 34,
    update: 1,
    unchanged: 1,
    conflict: 1,
    skipped: 2,
    refused: 1,
    lost: 3,
    changed: 5
  },
  images: {
    inArchive: 3,
    remote: 12,
    hosts: [{ host: "cdn.example", count: 12 }],
    admitted: 2,
    failed: 1
  },
  progress: { phase: "reading", done: 40, total: null },
  error: null,
  createdAt: AT,
  readAt: AT,
  finishedAt: null,
  expiresAt: AT,
  ...changes
})

const item = (ordinal: number, changes: Partial<Item> = {}): Item => ({
  id: ImportItemId.make(`00000000-0000-4000-8000-0000000001${String(ordinal).padStart(2, "0")}`),
  ordinal,
  sourceId: String(ordinal),
  sourcePath: null,
  sourceUrl: null,
  kind: "ghost",
  author: null,
  title: `Post ${ordinal}`,
  slug: null,
  status: "published",
  datedAt: AT,
  access: "free",
  outcome: "new",
  postId: null,
  revision: null,
  images: { total: 2, admitted: 0, failed: 0 },
  report: [],
  ...changes
})

const line = (severity: Item["report"][number]["severity"], excerpt = ""): Item["report"][number] => ({
  severity,
  code: "embed_link",
  section: "free",
  line: 3,
  column: 1,
  excerpt,
  message: "An embedded page became a link"
})

const view = (changes: Partial<ImportView> = {}): ImportView => ({
  value: value(),
  items: [item(1), item(2)],
  show: "all",
  next: null,
  isFirst: true,
  categories: [{ id: 1 as never, name: "Technology", slug: "technology" } as never],
  key: "0190f3c2-7b1e-7c4a-9d52-000000000004",
  told: null,
  wrong: null,
  ...changes
})

const read = (page: Parameters<typeof documentOf>[1]) => validated(documentOf(site, page))
const buttons = (shown: ReturnType<typeof read>) =>
  shown.filter(({ tag }) => tag === "button").map(({ text }) => text.trim())

describe("the pages of an import", () => {
  for (const state of ImportState.literals)
    it(`An import in the state ${state} is a valid document that says what to do next`, () => {
      const shown = read(importPage(view({ value: value({ state }) })))
      const heading = shown.find(({ tag }) => tag === "h1")
      assert.notStrictEqual(heading?.text, "")
      const named = buttons(shown)
      assert.strictEqual(named.includes("Create drafts"), state === "review" || state === "done", state)
      assert.strictEqual(named.includes("Undo"), state === "done", state)
      assert.strictEqual(named.includes("Publish selected"), state === "done", state)
      assert.strictEqual(
        named.includes("Stop"),
        state === "awaiting_file" || state === "reading" || state === "applying",
        state
      )
    })

  it("The limit of a minute and that of a day have sentences of their own", () => {
    assert.match(TOO_MANY["import"] ?? "", /minute/)
    assert.match(TOO_MANY["imports-day"] ?? "", /tomorrow/)
  })

  it("Every outcome and every severity of an item has words", () => {
    const items = ItemOutcome.literals.map((outcome, index) =>
      item(index, {
        outcome,
        access: "paid",
        status: "draft",
        report: [line("stop"), line("lost"), line("changed"), line("note")]
      })
    )
    const shown = read(importPage(view({ items })))
    assert.lengthOf(
      shown.filter(
        ({ attributes }) => attributes["type"] === "checkbox" && attributes["name"]?.startsWith("item.")
      ),
      items.length
    )
  })

  it("Questions are asked only where the file does not say the answer", () => {
    const fieldsOf = (site: Import["site"]) =>
      read(importPage(view({ value: value({ site }) })))
        .filter(({ tag }) => tag === "input")
        .map(({ attributes }) => attributes["name"])
    assert.notIncludeMembers(fieldsOf({ title: null, url: "https://a.example", language: "en" }), ["site"])
    assert.includeMembers(fieldsOf({ title: null, url: null, language: null }), ["site", "language", "price"])
  })

  it("A file that is damaged in the middle says so next to what stood before", () => {
    const error = { code: "damaged", message: "The file ends in post 12.", at: AT } as const
    const text = documentOf(site, importPage(view({ value: value({ error }) })))
    assert.include(text, "The file ends in post 12.")
    assert.include(text, "Create drafts")
  })

  it("Texts of the file are never markup", () => {
    const hostile = item(1, {
      title: HOSTILE,
      author: HOSTILE,
      outcome: "created",
      postId: PostId.make("00000000-0000-4000-8000-000000000009"),
      report: [line("lost", HOSTILE)]
    })
    const pages = [
      importPage(
        view({
          value: value({
            state: "done",
            fileName: HOSTILE,
            site: { title: HOSTILE, url: HOSTILE, language: null },
            images: { ...value().images, hosts: [{ host: HOSTILE, count: 1 }] }
          }),
          items: [hostile],
          told: HOSTILE,
          wrong: null
        })
      ),
      itemPage({
        id: ID,
        item: hostile,
        description: HOSTILE,
        language: "en",
        free: trusted("<p>Free</p>"),
        paid: trusted("<p>Paid</p>")
      }),
      startPage({
        key: "k",
        maxMb: 256,
        imports: [value({ fileName: HOSTILE })],
        wrong: HOSTILE,
        isModerator: false
      })
    ]
    for (const page of pages) {
      const shown = read(page)
      assert.deepStrictEqual(
        shown.filter(
          ({ attributes, tag }) =>
            (tag === "script" && attributes["src"] === undefined) || attributes["onerror"] !== undefined
        ),
        []
      )
    }
  })
})
