import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OutsideHttpMemory } from "../../../layers/testing/OutsideHttpMemory.ts"
import { OutsideFailure } from "../../../src/platform/ports/OutsideHttp.ts"
import { inTime, media } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { importerOf, withJsonItems, workImports } from "./importer.ts"
import type { SomeItem } from "./jsonItems.ts"

const png = (seed: number) => pngOf({ width: 8, height: 8, seed })

/** An item whose text shows pictures that are elsewhere. */
const showing = (...urls: ReadonlyArray<string>): SomeItem => ({
  draft: { freeContent: urls.map((url) => `![A coin](${url})`).join("\n\n") },
  images: urls.map((url) => ({ url, alt: "A coin", from: { url }, place: "text" }))
})

const reportOf = (item: any): ReadonlyArray<string> =>
  item.report.map(({ code, message }: any) => `${code} ${/\((\w+)\)$/.exec(message)?.[1]}`)

layer(service(database("test_import_remote"), 1, withJsonItems))("pictures of other sites", (it) => {
  it.effect("A picture is fetched, and one that did not come is tried again by a later apply", () =>
    Effect.gen(function* () {
      const outside = yield* OutsideHttpMemory
      const author = yield* importerOf(1)
      const [here, late] = ["https://a.test/here.png", "https://a.test/late.png"]
      yield* outside.answer(here, png(1))
      const { id } = yield* author.imported([showing(here, late)])
      yield* author.apply(id)
      yield* inTime(workImports)
      const { data } = (yield* author.items(id)).body
      assert.deepStrictEqual(reportOf(data[0]), ["image_unavailable unreachable"])
      assert.deepStrictEqual(yield* outside.asked.pipe(Effect.map((all) => all.toSorted())), [
        here,
        late,
        late
      ])
      const text = (yield* author.read(data[0].postId)).body.freeContentMarkdown
      const [, url = ""] = /!\[A coin\]\(([^)]+)\)/.exec(text) ?? []
      assert.strictEqual((yield* media(url)).status, 200)
      assert.include(text, `[A coin](${late})`)

      yield* outside.answer(late, png(2))
      yield* author.apply(id, { items: [data[0].id] })
      yield* inTime(workImports)
      const again = (yield* author.items(id)).body.data[0]
      assert.deepStrictEqual(reportOf(again), [])
      assert.deepInclude(again.images, { total: 2, admitted: 2, failed: 0 })
      assert.notInclude((yield* author.read(data[0].postId)).body.freeContentMarkdown, "a.test")
    })
  )

  it.effect("A report names a class, and a private address reads like a closed port", () =>
    Effect.gen(function* () {
      const outside = yield* OutsideHttpMemory
      const author = yield* importerOf(2)
      const answers = {
        not_found: { status: 404 },
        not_an_image: new TextEncoder().encode("<html>"),
        too_large: new OutsideFailure({ reason: "too_large" }),
        timeout: new OutsideFailure({ reason: "timeout" }),
        unreachable: new OutsideFailure({ reason: "address_not_public" })
      }
      for (const [reason, answer] of Object.entries(answers)) {
        const url = `https://b.test/${reason}.png`
        yield* outside.answer(url, answer)
        const { id } = yield* author.imported([showing(url)])
        yield* author.apply(id)
        yield* inTime(workImports)
        const [item] = (yield* author.items(id)).body.data
        assert.deepStrictEqual(reportOf(item), [`image_unavailable ${reason}`])
      }
    })
  )

  it.effect("The address of the old site completes paths, and an author may want no requests", () =>
    Effect.gen(function* () {
      const outside = yield* OutsideHttpMemory
      const author = yield* importerOf(3)
      const url = "https://c.test/img/coin.png"
      yield* outside.answer(url, png(3))
      const item: SomeItem = {
        draft: { freeContent: "![A coin](/img/coin.png)" },
        images: [{ url: "/img/coin.png", alt: "A coin", from: { missing: "/img/coin.png" }, place: "text" }]
      }
      const { id } = yield* author.imported([item])
      yield* author.apply(id, { items: "all", siteUrl: "https://c.test", fetchImages: false })
      yield* inTime(workImports)
      const [kept] = (yield* author.items(id)).body.data
      assert.notInclude(yield* outside.asked, url)
      assert.include((yield* author.read(kept.postId)).body.freeContentMarkdown, `[A coin](${url})`)
      yield* author.apply(id, { items: [kept.id], siteUrl: "https://c.test" })
      yield* inTime(workImports)
      const [item_] = (yield* author.items(id)).body.data
      assert.deepInclude(item_.images, { total: 1, admitted: 1, failed: 0 })
    })
  )

  it.effect("A host that is left alone stays so for the next turns of its import", () =>
    Effect.gen(function* () {
      const outside = yield* OutsideHttpMemory
      const author = yield* importerOf(5)
      const urls = Array.from({ length: 24 }, (_, number) => `https://f.test/${number}.png`)
      for (const url of urls) yield* outside.answer(url, { status: 404 })
      // The wait for a busy host ends the turn.
      const busy = "https://g.test/busy.png"
      yield* outside.answer(busy, { status: 503, retryAfter: "30" })
      const late = "https://f.test/late.png"
      yield* outside.answer(late, png(7))
      const { id } = yield* author.imported([showing(...urls, busy), showing(late)])
      yield* author.apply(id)
      yield* inTime(workImports)
      const [, second] = (yield* author.items(id)).body.data
      assert.deepStrictEqual(reportOf(second), ["image_unavailable host_stopped"])
      assert.notInclude(yield* outside.asked, late)
      // A later apply asks it again.
      yield* author.apply(id, { items: [second.id] })
      yield* inTime(workImports)
      assert.deepStrictEqual(reportOf((yield* author.items(id)).body.data[1]), [])
    })
  )

  it.effect("A host is left alone after twenty failures in a row", () =>
    Effect.gen(function* () {
      const outside = yield* OutsideHttpMemory
      const author = yield* importerOf(4)
      const urls = Array.from({ length: 30 }, (_, number) => `https://d.test/${number}.png`)
      for (const url of urls) yield* outside.answer(url, { status: 404 })
      const { id } = yield* author.imported([showing(...urls)])
      yield* author.apply(id)
      yield* inTime(workImports)
      const [item] = (yield* author.items(id)).body.data
      const reasons = reportOf(item)
      assert.isAtLeast(reasons.filter((it) => it.endsWith("host_stopped")).length, 8)
      assert.isAtMost((yield* outside.asked).filter((url) => url.includes("d.test")).length, 22)
    })
  )
})
