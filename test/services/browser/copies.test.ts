import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { eventually } from "../../support/eventually.ts"
import { act, site, windowOf } from "./site.ts"

/** A picture that is wide enough for copies of all widths. */
const picture = Effect.promise(() =>
  sharp({ create: { width: 1600, height: 1000, channels: 3, background: "#36c" } })
    .png({ compressionLevel: 0 })
    .toBuffer()
)

/** Adds up how far what was painted moved. It runs before any script of a page. */
const MOVES =
  "globalThis.moved = 0; new PerformanceObserver((list) => { for (const it of list.getEntries()) moved += it.value }).observe({ type: 'layout-shift', buffered: true })"

describe("smaller copies of pictures in a real browser", () => {
  it.live("A browser takes the copy that fits its screen, and nothing moves while it loads", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_copies", { SCANNER: "none" })
      const uploader = yield* press.overWire(uploaderOf(5))
      const { id, slug } = yield* press.overWire(uploader.published({ title: "A picture" }))
      const read = yield* press.overWire(uploader.read(id))
      const file = { name: "file", fileName: "a.png", content: yield* picture }
      const sent = yield* press.overWire(uploader.inline(read.body, { parts: [file] }))
      const { publicUrl } = sent.body
      const patched = yield* press.overWire(
        uploader.patch(
          id,
          { freeContentMarkdown: `Look:\n\n![A picture](${publicUrl})\n\nAnd read on.` },
          { "x-post-revision": (yield* press.overWire(uploader.read(id))).body.updatedAt }
        )
      )
      assert.strictEqual(patched.status, 200, patched.text)
      const path = `/@${uploader.handle}/${slug}`
      // The copies are made after the picture is public. A browser that has loaded it takes no copy.
      yield* eventually(
        "the copies",
        Effect.map(press.client.send("GET", path, { headers: { accept: "text/html" } }), ({ text }) =>
          text.includes("1280w")
        )
      )
      for (const [width, deviceScaleFactor, copy] of [
        [375, 1, "-640.webp"],
        [375, 2, "-1280.webp"],
        [1280, 1, "-640.webp"],
        [1280, 2, "-1280.webp"]
      ] as const) {
        const { errors, page } = yield* windowOf(press, {
          viewport: { width, height: 800 },
          deviceScaleFactor
        })
        yield* act(() => page.addInitScript(MOVES))
        yield* act(async () => {
          await page.goto(path)
          await page.waitForFunction("document.querySelector('.prose img').complete")
        })
        const chosen = yield* act(() =>
          page.evaluate<string>("document.querySelector('.prose img').currentSrc")
        )
        assert.isTrue(chosen.endsWith(copy), `${chosen} at ${width}, ${deviceScaleFactor}`)
        assert.strictEqual(yield* act(() => page.evaluate<number>("moved")), 0)
        assert.deepStrictEqual(errors, [])
      }
    })
  )
})
