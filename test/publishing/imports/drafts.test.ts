import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { refusalOf } from "../../support/actors/author.ts"
import { inTime, media, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { editorOf, rich } from "../posts/nativeEditor.ts"
import { importerOf, withJsonItems, workImports } from "./importer.ts"
import { fileOf, ITEMS, type SomeItem } from "./jsonItems.ts"

/** The outcomes of items in the order of the file. */
const outcomesOf = (answer: { readonly body: any }) => answer.body.data.map((it: any) => it.outcome)

/** The codes of the report of an item. */
const codesOf = (item: any) => item.report.map(({ code }: { readonly code: string }) => code)

const declared = { creationMethod: "human_written", creationAttested: true, primaryCategoryId: 3 } as const

layer(service(database("test_import_drafts"), 1, withJsonItems))("drafts of imports", (it) => {
  it.effect("Each item becomes a draft with its members, and text from behind a wall stays paid", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const { id } = yield* author.imported([
        {
          datedAt: "2019-04-05T06:07:08.000Z",
          draft: {
            title: "On pennies",
            description: "Small money",
            language: "pt-BR",
            categoryIds: [null, 4],
            canonicalUrl: "https://old.test/pennies",
            ogTitle: "Pennies",
            commentsEnabled: false
          },
          slug: "on-pennies"
        },
        {
          draft: { accessKind: "paid", freeContent: "", paidContent: "Walled words", title: "Walled" },
          slug: null
        }
      ])
      const applied = yield* author.apply(id, { items: "all", primaryCategoryId: 7, language: "de" })
      assert.strictEqual(applied.status, 202, applied.text)
      assert.strictEqual(applied.body.state, "applying")
      assert.deepStrictEqual(applied.body.progress, { phase: "apply", done: 0, total: 2 })
      yield* workImports
      const done = (yield* author.get(id)).body
      assert.strictEqual(done.state, "done")
      assert.deepStrictEqual(done.progress, { phase: "apply", done: 2, total: 2 })
      const { data } = (yield* author.items(id)).body
      assert.deepStrictEqual(
        data.map((item: any) => item.outcome),
        ["created", "created"]
      )
      const [first, second] = [yield* author.read(data[0].postId), yield* author.read(data[1].postId)]
      assert.deepInclude(first.body, {
        status: "draft",
        title: "On pennies",
        description: "Small money",
        slug: "on-pennies",
        language: "pt-BR",
        primaryCategoryId: 7,
        secondaryCategoryId: 4,
        canonicalUrl: "https://old.test/pennies",
        ogTitle: "Pennies",
        commentsEnabled: false,
        freeContentMarkdown: "Words for everyone",
        datedAt: "2019-04-05T06:07:08.000000Z"
      })
      assert.strictEqual(data[0].revision, first.body.updatedAt)
      assert.deepInclude(second.body, {
        slug: "walled",
        language: "de",
        freeContentMarkdown: null,
        paidContentMarkdown: "Walled words",
        enablePaywall: true,
        priceRaw: null
      })
    })
  )

  it.effect("The draft of an item is a body that creates the same Post", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const { id } = yield* author.imported([{ draft: { title: "A preview", categoryIds: [2, null] } }])
      const { data } = (yield* author.items(id)).body
      const item = (yield* author.item(id, data[0].id)).body
      const created = yield* author.create(item.draft)
      assert.strictEqual(created.status, 201, created.text)
      assert.deepInclude(created.body, { title: "A preview", slug: item.slug, primaryCategoryId: 2 })
      assert.strictEqual((yield* author.item(id, created.body.id)).status, 404)
    })
  )

  it.effect("The same file again changes nothing, a newer one updates, and an edit here is a conflict", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(3)
      const file: ReadonlyArray<SomeItem> = [
        { sourceId: "same" },
        { sourceId: "newer", sha256: "1" },
        { sourceId: "edited", sha256: "1" },
        { sourceId: "deleted" }
      ]
      const first = yield* author.imported(file)
      yield* author.apply(first.id)
      yield* workImports
      const before = (yield* author.items(first.id)).body.data
      yield* author.patch(before[2].postId, { title: "Mine now" })
      // Categories and the declaration are the author's, and an update keeps them.
      yield* author.patch(before[1].postId, declared)
      assert.strictEqual((yield* author.remove(before[3].postId)).status, 204)

      const again = yield* author.imported(file)
      assert.deepStrictEqual(outcomesOf(yield* author.items(again.id)), [
        "unchanged",
        "unchanged",
        "unchanged",
        "skipped"
      ])
      assert.deepStrictEqual(codesOf((yield* author.items(again.id)).body.data[3]), ["deleted_here"])
      yield* author.apply(again.id)
      yield* workImports
      assert.strictEqual((yield* author.get(again.id)).body.state, "done")

      const third = yield* author.imported([
        file[0]!,
        { sourceId: "newer", sha256: "2", draft: { freeContent: "Newer words" } },
        { sourceId: "edited", sha256: "2", draft: { freeContent: "Newer words" } },
        file[3]!
      ])
      assert.deepStrictEqual(third.counts, {
        items: 4,
        new: 0,
        update: 1,
        unchanged: 1,
        conflict: 1,
        skipped: 1,
        refused: 0,
        lost: 0,
        changed: 0
      })
      yield* author.apply(third.id)
      yield* workImports
      assert.deepStrictEqual(outcomesOf(yield* author.items(third.id)), [
        "unchanged",
        "updated",
        "conflict",
        "skipped"
      ])
      const updated = (yield* author.read(before[1].postId)).body
      assert.deepInclude(updated, { freeContentMarkdown: "Newer words", ...declared })
      assert.strictEqual((yield* author.read(before[2].postId)).body.title, "Mine now")

      const items = (yield* author.items(third.id)).body.data
      yield* author.apply(third.id, { items: [items[2].id], onConflict: "keep" })
      yield* workImports
      assert.strictEqual((yield* author.items(third.id)).body.data[2].outcome, "kept")
      yield* author.apply(third.id, { items: [items[2].id, items[3].id], onConflict: "replace" })
      yield* workImports
      assert.strictEqual((yield* author.read(before[2].postId)).body.freeContentMarkdown, "Newer words")
      const brought = (yield* author.items(third.id)).body.data[3]
      assert.strictEqual(brought.outcome, "created")
      assert.notStrictEqual(brought.postId, before[3].postId)
    })
  )

  it.effect("Of two items with one id the last one counts, and slugs that are taken get a number", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(4)
      yield* author.draft({ slug: "taken" })
      const { id } = yield* author.imported([
        { sourceId: "twice", draft: { title: "Earlier" } },
        { slug: "taken" },
        { slug: "taken" },
        { sourceId: "twice", draft: { title: "Later" } },
        { stop: { outcome: "skipped", code: "page" } }
      ])
      const { data } = (yield* author.items(id)).body
      assert.deepStrictEqual(
        data.map((item: any) => [item.outcome, item.slug]),
        [
          ["skipped", null],
          ["new", "taken-2"],
          ["new", "taken-3"],
          ["new", "post-3"],
          ["skipped", null]
        ]
      )
      assert.deepStrictEqual(codesOf(data[0]), ["duplicate_source_id"])
      assert.deepStrictEqual(codesOf(data[4]), ["page"])
      assert.strictEqual((yield* author.items(id, "?outcome=new&limit=1")).body.data[0].ordinal, 1)
      assert.deepStrictEqual(outcomesOf(yield* author.items(id, "?severity=stop")), ["skipped", "skipped"])
      const page = (yield* author.items(id, "?limit=2")).body
      const next = (yield* author.items(id, `?limit=2&cursor=${page.pagination.nextCursor}`)).body
      assert.deepStrictEqual(
        next.data.map(({ ordinal }: any) => ordinal),
        [2, 3]
      )
    })
  )

  it.effect("Links between posts lead to them here, others to the old site, and the rest becomes text", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(5)
      const link = { slug: null, fragment: "", absolute: null, path: null, keys: [] }
      const { id } = yield* author.imported([
        {
          draft: {
            freeContent:
              "[one](/a#part) [two](b.md) [three](/about) [four](mystery) [five](https://x.test/y) and `[one](/a#part)`"
          },
          links: [
            { ...link, url: "/a#part", keys: ["https://old.test/a"], fragment: "#part" },
            { ...link, url: "b.md", slug: "post-b" },
            { ...link, url: "/about", path: "/about" },
            { ...link, url: "mystery" }
          ]
        },
        { aliases: ["https://old.test/a"], slug: "post-a" },
        { slug: "post-b" }
      ])
      yield* author.apply(id, { items: "all", siteUrl: "https://site.test" })
      yield* workImports
      const item = (yield* author.items(id)).body.data[0]
      const { handle } = (yield* author.profile()).body
      assert.strictEqual(
        (yield* author.read(item.postId)).body.freeContentMarkdown,
        `[one](https://press.test/@${handle}/post-a#part) [two](https://press.test/@${handle}/post-b) ` +
          "[three](https://site.test/about) four [five](https://x.test/y) and `[one](/a#part)`"
      )
      assert.deepStrictEqual(codesOf(item).toSorted(), ["link_dropped", "link_rewritten", "link_rewritten"])
    })
  )

  it.effect("The line about a link of the paid section is there, even if a longer address is free", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(20)
      const link = { slug: null, fragment: "", absolute: null, path: null, keys: [] }
      const { id } = yield* author.imported([
        {
          access: "paid",
          draft: { accessKind: "paid", freeContent: "[b](/secret-plans)", paidContent: "[a](/secret)" },
          links: [
            { ...link, url: "/secret-plans" },
            { ...link, url: "/secret" }
          ]
        }
      ])
      yield* author.apply(id)
      yield* workImports
      const [item] = (yield* author.items(id)).body.data
      assert.deepStrictEqual(
        item.report.map(({ excerpt, section }: any) => [excerpt, section]),
        [
          ["/secret-plans", "free"],
          ["/secret", "paid"]
        ]
      )
    })
  )

  it.effect("Pictures of the archive become uploads of the draft, and those that fail leave a link", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(6)
      const picture = pngOf({ width: 8, height: 8, seed: 3 })
      const items = [
        {
          draft: {
            freeContent:
              "![A penny](a.png)\n\n![gone](b.png)\n\n![far](https://far.test/c.png)\n\n![text](d.svg)",
            paidContent: "![A penny](a.png)",
            accessKind: "paid" as const
          },
          images: [
            { url: "a.png", alt: "A penny", from: { entry: "img/a.png" }, place: "text" as const },
            { url: "b.png", alt: "gone", from: { missing: "b.png" }, place: "text" as const },
            {
              url: "https://far.test/c.png",
              alt: "far",
              from: { url: "https://far.test/c.png" },
              place: "text" as const
            },
            { url: "d.svg", alt: "text", from: { entry: "d.svg" }, place: "text" as const },
            { url: "a.png", alt: "", from: { entry: "img/a.png" }, place: "cover" as const }
          ]
        }
      ]
      const archive = zipOf([
        { name: ITEMS, content: fileOf(items) },
        { name: "img/a.png", content: picture },
        { name: "d.svg", content: "<svg/>" }
      ])
      const { id, images } = yield* author.imported(archive)
      assert.deepInclude(images, { inArchive: 3, remote: 1, hosts: [{ host: "far.test", count: 1 }] })
      yield* author.apply(id)
      yield* workImports
      const done = (yield* author.get(id)).body
      assert.deepInclude(done.images, { admitted: 2, failed: 3 })
      const item = (yield* author.items(id)).body.data[0]
      assert.deepStrictEqual(item.images, { total: 5, admitted: 2, failed: 3 })
      assert.deepStrictEqual(codesOf(item), ["image_missing", "image_unavailable", "image_refused"])
      const post = (yield* author.read(item.postId)).body
      const url = /\((https:[^)]*)\)/.exec(post.freeContentMarkdown)?.[1] ?? ""
      assert.match(url, /^https:\/\/press\.test\/media\/[0-9a-f-]{36}\.png$/)
      assert.strictEqual(
        post.freeContentMarkdown,
        `![A penny](${url})\n\ngone\n\n[far](https://far.test/c.png)\n\ntext`
      )
      assert.strictEqual(post.paidContentMarkdown, `![A penny](${url})`)
      assert.match(post.ogImage, /\.png$/)
      assert.notStrictEqual(post.ogImage, url)
      assert.strictEqual((yield* media(url)).status, 200)
      assert.strictEqual((yield* media(post.ogImage)).status, 200)
      yield* workOff
      assert.strictEqual((yield* media(url)).status, 200)
    })
  )

  it.effect("A crash within an update leaves the Post as it was, and another attempt brings it", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(14)
      const first = yield* author.imported([{ sourceId: "crashed", sha256: "1" }])
      yield* author.apply(first.id)
      yield* workImports
      const { id } = yield* author.imported([
        { sourceId: "crashed", sha256: "crash", draft: { freeContent: "Newer words" } }
      ])
      yield* author.apply(id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`alter table import_sources add constraint crash check (sha256 <> 'crash')`
      yield* Effect.exit(workImports)
      const { postId } = (yield* author.items(id)).body.data[0]
      assert.strictEqual((yield* author.read(postId)).body.freeContentMarkdown, "Words for everyone")
      yield* sql`alter table import_sources drop constraint crash`
      yield* TestClock.adjust("1 minute")
      yield* workImports
      assert.deepStrictEqual(outcomesOf(yield* author.items(id)), ["updated"])
      assert.strictEqual((yield* author.read(postId)).body.freeContentMarkdown, "Newer words")
    })
  )

  it.effect("An undo takes untouched drafts back with their pictures, and keeps the others", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(7)
      const { id } = yield* author.imported([{}, {}, {}, {}])
      yield* author.apply(id)
      yield* workImports
      const { data } = (yield* author.items(id)).body
      yield* author.patch(data[0].postId, { title: "Changed" })
      yield* author.patch(data[1].postId, declared)
      yield* author.publish(data[1].postId)
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 2, kept: 2 })
      assert.deepStrictEqual(outcomesOf(yield* author.items(id)), ["created", "created", "new", "new"])
      assert.strictEqual((yield* author.read(data[2].postId)).status, 404)
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 0, kept: 2 })
      yield* author.apply(id)
      yield* workImports
      assert.deepStrictEqual(outcomesOf(yield* author.items(id)), [
        "created",
        "created",
        "created",
        "created"
      ])
    })
  )

  it.effect(
    "An undo takes a draft back with the files that the import brought, unless its author changed it",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(21)
        const items = ["kept", "described", "extended", "reduced", "published"].map((sourceId): SomeItem => ({
          sourceId,
          access: "paid",
          draft: { accessKind: "paid", paidContent: "Walled", priceXno: "0.5" },
          attachments: [{ entry: "files/data.zip", name: "data.zip" }]
        }))
        const { id } = yield* author.imported(
          zipOf([
            { name: ITEMS, content: fileOf(items) },
            { name: "files/data.zip", content: zipOf([{ name: "a.txt", content: "words" }]) }
          ])
        )
        yield* author.apply(id)
        // One file of imports is screened at a time. That gives its post a new revision, for the last one after the import.
        for (let turn = 0; turn < 10 && (yield* author.get(id)).body.state !== "done"; turn++) {
          yield* inTime(workImports)
          yield* workOff
          yield* TestClock.adjust("5 seconds")
        }
        const { data } = (yield* author.items(id)).body
        assert.deepStrictEqual(data.flatMap(codesOf), [])
        const [, described, extended, reduced, published] = data.map(({ postId }: any) => postId)
        const files = (yield* author.read(reduced)).body.attachments
        assert.deepStrictEqual(
          files.map(({ fileName, state }: any) => [fileName, state]),
          [["data.zip", "ready"]]
        )
        yield* author.patch(described, { primaryCategoryId: 4 })
        const added = yield* author.attach((yield* author.read(extended)).body)
        assert.strictEqual(added.status, 202, added.text)
        assert.isBelow((yield* author.detach(reduced, files[0].id)).status, 300)
        // Its publication is refused, and the declaration is the import's.
        yield* author.publishItems(id, {
          items: [data[4].id],
          creationMethod: "human_written",
          creationAttested: true
        })
        yield* workImports
        assert.deepStrictEqual(codesOf((yield* author.items(id)).body.data[4]), ["publication_incomplete"])
        assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 2, kept: 3 })
        assert.strictEqual((yield* author.read(published)).status, 404)
        yield* workOff
        const sql = yield* SqlClient.SqlClient
        assert.isEmpty(yield* sql`select from post_attachments where post_id = ${data[0].postId}`)
      })
  )

  it.effect(
    "A newer text does not replace a section that Markdown cannot say, and the report says what to do",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(23)
        const file = (sha256: string, freeContent: string): ReadonlyArray<SomeItem> => [
          { sourceId: "rich", sha256, draft: { freeContent } }
        ]
        const first = yield* author.imported(file("1", "Words"))
        yield* author.apply(first.id)
        yield* workImports
        const [{ postId }] = (yield* author.items(first.id)).body.data
        yield* (yield* editorOf(author)).write(postId, { free: rich })
        const { id } = yield* author.imported(file("2", "Newer words"))
        const [item] = (yield* author.items(id)).body.data
        yield* author.apply(id, { items: [item.id], onConflict: "replace" })
        yield* workImports
        const failed = (yield* author.items(id)).body.data[0]
        assert.strictEqual(failed.outcome, "failed")
        assert.deepStrictEqual(
          failed.report.map(({ code, section, severity }: any) => [severity, code, section]),
          [["stop", "not_applied", "free"]]
        )
        assert.match(
          failed.report[0].message,
          /\(text_style, youtube\).*delete the post here and apply this item again/
        )
        assert.strictEqual((yield* author.remove(postId)).status, 204)
        yield* author.apply(id, { items: [item.id], onConflict: "replace" })
        yield* workImports
        const made = (yield* author.items(id)).body.data[0]
        assert.deepInclude(made, { outcome: "created", report: [] })
        assert.strictEqual((yield* author.read(made.postId)).body.freeContentMarkdown, "Newer words")
      })
  )

  it.effect("An undo keeps a draft that its author changed before it was applied again", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(22)
      const { id } = yield* author.imported([{}])
      yield* author.apply(id)
      yield* workImports
      const [item] = (yield* author.items(id)).body.data
      yield* author.patch(item.postId, { primaryCategoryId: 4 })
      yield* author.apply(id, { items: [item.id] })
      yield* workImports
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 0, kept: 1 })
    })
  )

  it.effect("Items are published with what they lack, and a report says what stands in the way", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(8)
      const { id } = yield* author.imported([
        {
          draft: { categoryIds: [5, null] },
          datedAt: "1959-04-05T06:07:08.000Z",
          oldPaths: ["/2019/über uns"]
        },
        { draft: { accessKind: "paid", paidContent: "Walled" } },
        {}
      ])
      yield* author.apply(id)
      yield* workImports
      const { data } = (yield* author.items(id)).body
      const items = data.map((item: any) => item.id).slice(0, 2)
      const sent = yield* author.publishItems(id, { items, ...declared })
      assert.strictEqual(sent.status, 202, sent.text)
      assert.deepStrictEqual(sent.body.progress, { phase: "publish", done: 0, total: 2 })
      yield* workImports
      const posts = [yield* author.read(data[0].postId), yield* author.read(data[1].postId)]
      assert.deepInclude(posts[0]!.body, {
        status: "published",
        publishedAt: "1959-04-05T06:07:08.000000Z",
        primaryCategoryId: 5
      })
      assert.strictEqual(posts[1]!.body.status, "draft")
      const walled = (yield* author.items(id)).body.data[1]
      assert.deepStrictEqual(codesOf(walled), ["publication_incomplete"])
      assert.match(walled.report[0].message, /price/)
      yield* author.publishItems(id, { items, ...declared, priceXno: "0.5" })
      yield* workImports
      assert.strictEqual((yield* author.read(data[1].postId)).body.status, "published")
      assert.deepStrictEqual(codesOf((yield* author.items(id)).body.data[1]), [])

      const { handle } = (yield* author.profile()).body
      const to = `https://press.test/@${handle}/${data[0].slug}`
      const redirects = (format: string) => author.sendImports("GET", `/${id}/redirects?format=${format}`)
      assert.deepStrictEqual((yield* redirects("json")).body, {
        data: [{ from: "/2019/%C3%BCber%20uns", to, postId: data[0].postId, public: true }]
      })
      assert.strictEqual(
        (yield* redirects("csv")).text,
        `from,to,public\r\n/2019/%C3%BCber%20uns,${to},true\r\n`
      )
      assert.strictEqual((yield* redirects("apache")).text, `Redirect 301 /2019/%C3%BCber%20uns ${to}\n`)
      assert.deepStrictEqual((yield* redirects("ghost")).body, [
        { from: "^/2019/%C3%BCber%20uns$", to, permanent: true }
      ])
    })
  )

  it.effect("A request that names no item of the import is refused, and a repeat begins nothing", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(9)
      const other = yield* importerOf(10)
      const { id } = yield* author.imported([{}])
      const foreign = yield* other.imported([{}])
      const [item] = (yield* other.items(foreign.id)).body.data
      assert.deepStrictEqual(refusalOf(yield* author.apply(id, { items: [item.id] })), [
        422,
        "validation",
        "items invalid"
      ])
      assert.deepStrictEqual(refusalOf(yield* author.apply(id, { items: [] })).slice(0, 2), [
        422,
        "validation"
      ])
      assert.strictEqual((yield* author.get(id)).body.state, "review")
      const first = yield* author.apply(id, { items: "all" }, "once")
      assert.strictEqual(first.status, 202)
      yield* workImports
      const repeat = yield* author.apply(id, { items: "all" }, "once")
      assert.strictEqual(repeat.headers.get("x-idempotency-replay"), "true")
      assert.strictEqual(repeat.body.state, "done")
      assert.deepStrictEqual(refusalOf(yield* author.apply(id, { items: "all", language: "de" }, "once")), [
        409,
        "idempotency-mismatch"
      ])
    })
  )
})

layer(service(database("test_import_pictures"), 2, withJsonItems))("pictures of imports", (it) => {
  const picture = (seed: number) => pngOf({ width: 8, height: 8, seed })

  const withPictures = (count: number) => {
    const names = Array.from({ length: count }, (_, n) => `${n}.png`)
    const item: SomeItem = {
      draft: { freeContent: names.map((name) => `![p](${name})`).join("\n\n") },
      images: names.map((name) => ({ url: name, alt: "p", from: { entry: name }, place: "text" as const }))
    }
    return zipOf([
      { name: ITEMS, content: fileOf([item]) },
      ...names.map((name, n) => ({ name, content: picture(n + 1) }))
    ])
  }

  it.effect(
    "An import leaves its author room for uploads, goes on when screening has, and blocks publication",
    () =>
      Effect.gen(function* () {
        const author = yield* importerOf(1)
        const { id } = yield* author.imported(withPictures(6))
        yield* author.apply(id)
        yield* inTime(workImports)
        const waiting = (yield* author.get(id)).body
        assert.strictEqual(waiting.state, "applying")
        const item = (yield* author.items(id)).body.data[0]
        assert.deepStrictEqual(item.images, { total: 6, admitted: 4, failed: 0 })
        const refused = yield* author.publish(item.postId)
        assert.include(refusalOf(refused), "images pending")
        // The limits of the author's own uploads are as before, six of ten.
        const own = yield* author.draft()
        for (let n = 0; n < 6; n++)
          assert.strictEqual(
            (yield* author.inline(own, { headers: { "x-upload-target-key": `own-${n}` } })).status,
            202
          )
        assert.strictEqual(
          (yield* author.inline(own, { headers: { "x-upload-target-key": "more" } })).status,
          429
        )
        yield* workOff
        yield* TestClock.adjust("5 seconds")
        yield* workImports
        yield* workOff
        assert.strictEqual((yield* author.get(id)).body.state, "done")
        assert.deepStrictEqual((yield* author.items(id)).body.data[0].images, {
          total: 6,
          admitted: 6,
          failed: 0
        })
        assert.notInclude(refusalOf(yield* author.publish(item.postId)), "images pending")
      })
  )

  it.effect("A cancel leaves the alternative text of pictures that have not come", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const { id } = yield* author.imported(withPictures(5))
      yield* author.apply(id)
      yield* inTime(workImports)
      yield* author.cancelImport(id)
      yield* workImports
      const item = (yield* author.items(id)).body.data[0]
      assert.deepStrictEqual(item.images, { total: 5, admitted: 4, failed: 1 })
      const post = (yield* author.read(item.postId)).body
      assert.strictEqual(post.freeContentMarkdown.match(/!\[p\]\(https:/g).length, 4)
      assert.match(post.freeContentMarkdown, /\n\np$/)
      assert.notInclude(refusalOf(yield* author.publish(item.postId)), "images pending")
      assert.deepStrictEqual((yield* author.undo(id)).body, { deleted: 1, kept: 0 })
    })
  )

  it.effect(
    "A key that ends, and a deletion after a cancel, leave no draft with pictures that never come",
    () =>
      Effect.gen(function* () {
        for (const [number, ends] of [
          [4, "key"],
          [5, "deletion"]
        ] as const) {
          const author = yield* importerOf(number)
          const { id } = yield* author.imported(withPictures(5))
          yield* author.apply(id)
          yield* inTime(workImports)
          const { postId } = (yield* author.items(id)).body.data[0]
          const sql = yield* SqlClient.SqlClient
          if (ends === "key") {
            yield* sql`update api_keys set revoked_at = ${new Date(0)} where id = (select api_key_id from imports where id = ${id})`
            yield* TestClock.adjust("5 seconds")
          } else {
            yield* author.cancelImport(id)
            yield* author.removeImport(id)
          }
          yield* workImports
          const [post] = yield* sql<{ readonly text: string }>`
          select free_content_markdown as text from posts where id = ${postId}`
          assert.match(post!.text, /\n\np$/)
          assert.isEmpty(yield* sql`select from import_items where post_id = ${postId} and task is not null`)
        }
      })
  )

  it.effect("A picture within the text is an upload, too, and its bytes are not kept in rows", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(3)
      const data = Buffer.from(picture(9)).toString("base64")
      const url = "data:image/png;base64,…"
      const { id } = yield* author.imported([
        {
          draft: { freeContent: "![p](data-1)" },
          images: [{ url: "data-1", alt: "p", from: { data, type: "image/png" }, place: "text" }]
        }
      ])
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly content: string }>`
        select content::text as content from import_items where import_id = ${id}`
      assert.notInclude(rows[0]?.content ?? data, data)
      yield* author.apply(id)
      yield* workImports
      const item = (yield* author.items(id)).body.data[0]
      const post = (yield* author.read(item.postId)).body
      assert.match(post.freeContentMarkdown, /^!\[p\]\(https:\/\/press\.test\/media\/.*\.png\)$/)
      assert.notInclude(post.freeContentMarkdown, url)
      assert.deepStrictEqual(item.images, { total: 1, admitted: 1, failed: 0 })
    })
  )
})
