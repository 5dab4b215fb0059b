import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import {
  pngChunk,
  pngHeader,
  pngOf,
  pngOfChunks,
  pngPixels
} from "../../publishing/image-formats/png/makePng.ts"
import { act, clean, signInAs, site, windowOf } from "./site.ts"

const SIDE = 48

const png = (seed: number) => Buffer.from(pngOf({ width: SIDE, height: SIDE, seed }))

/** A picture whose pixels end early, which only its screening finds. */
const broken = Buffer.from(
  pngOfChunks(
    pngHeader(SIDE, SIDE),
    pngChunk("IDAT", pngPixels(SIDE, SIDE, 1).subarray(0, 2000)),
    pngChunk("IEND")
  )
)

const fileOf = (name: string, buffer: Buffer) => ({ name, mimeType: "image/png", buffer })

/** Gives files to a text as a drop or a paste does. */
const give = (
  page: Page,
  kind: "drop" | "paste",
  files: ReadonlyArray<readonly [name: string, type: string, bytes: Buffer]>
) =>
  act(() =>
    page.evaluate(
      `(() => {
        const transfer = new DataTransfer()
        for (const [name, type, bytes] of ${JSON.stringify(files.map(([name, type, bytes]) => [name, type, [...bytes]]))})
          transfer.items.add(new File([new Uint8Array(bytes)], name, { type }))
        const options = { bubbles: true, cancelable: true }
        document.getElementById("free").dispatchEvent(
          ${kind === "drop" ? "new DragEvent('drop', { ...options, dataTransfer: transfer })" : "new ClipboardEvent('paste', { ...options, clipboardData: transfer })"}
        )
      })()`
    )
  )

const free = (page: Page) => page.getByLabel("The part that everyone reads", { exact: true })
const said = (page: Page, words: string | RegExp) => act(() => page.getByText(words).first().waitFor())

describe("pictures in a real browser", () => {
  it.live("An author inserts a picture without a script, and reads that another one was refused", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_pictures", { SCANNER: "none" })
      const tab = yield* windowOf(press, { javaScriptEnabled: false, viewport: { width: 320, height: 640 } })
      const { page } = tab
      yield* signInAs(page, 1)
      yield* act(() => page.goto("/write"))
      yield* act(() => page.getByLabel("Title", { exact: true }).fill("Bridges"))
      const alt = page.getByLabel("Describe the picture for readers who can't see it")
      const insert = (file: ReturnType<typeof fileOf>) =>
        act(async () => {
          if (await alt.isHidden()) await page.getByText("Add a picture").click()
          await alt.fill("A bridge")
          await page.getByLabel("Picture file", { exact: true }).setInputFiles(file)
          await page.getByRole("button", { name: "Insert", exact: true }).click()
        })
      yield* insert(fileOf("bridge.png", png(1)))
      yield* said(page, "The picture is at the end of the text.")
      assert.match(yield* act(() => free(page).inputValue()), /^!\[A bridge\]\(\/media\/\S+\.png\)\n$/)
      yield* insert({ name: "bridge.svg", mimeType: "image/svg+xml", buffer: Buffer.from("<svg/>") })
      yield* act(() => page.getByRole("link", { name: /^We can't use this image/ }).waitFor())
      yield* insert(fileOf("large.png", Buffer.concat([png(2), Buffer.alloc(12 * 1024 * 1024)])))
      yield* act(() => page.getByRole("link", { name: /^This picture is larger than 5 MB/ }).waitFor())
      yield* insert(fileOf("broken.png", broken))
      yield* said(page, "The picture is at the end of the text.")
      yield* act(() => page.getByRole("button", { name: "Save draft" }).click())
      yield* act(async () => {
        while (!(await page.innerText("main")).includes("Refused. The image is damaged"))
          await page.waitForTimeout(200).then(() => page.reload())
      })
      // The refused one came into the text after its screening, and leaves it with this button.
      yield* act(() =>
        page.locator('summary[aria-label="More about this picture: A bridge"]').first().click()
      )
      yield* act(() => page.getByRole("button", { name: "Remove this picture: A bridge" }).first().click())
      yield* said(page, "The picture is removed.")
      assert.lengthOf((yield* act(() => free(page).inputValue())).match(/!\[A bridge\]/g) ?? [], 1)
      assert.strictEqual(
        yield* act(() => page.evaluate("document.querySelector('#picture-list img').naturalWidth")),
        SIDE
      )
    })
  )

  it.live("An author drops, pastes and chooses pictures, can undo that, and removes one", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_dropping", { SCANNER: "none" })
      const tab = yield* windowOf(press)
      const { page } = tab
      const value = () => act(() => free(page).inputValue())
      yield* signInAs(page, 1)
      // A post that has no text yet is saved with its picture.
      yield* act(() => page.goto("/write"))
      yield* act(() => free(page).focus())
      yield* give(page, "drop", [["one.png", "image/png", png(1)]])
      yield* said(page, "Picture added.")
      yield* act(() => page.keyboard.type("The first"))
      assert.match(yield* value(), /^!\[The first\]\(\S+\)\n$/)
      assert.match(page.url(), /\/write\/[0-9a-f-]{36}$/)
      yield* said(page, /^Saved \d/)

      // One with a text is saved before.
      yield* act(() => page.goto("/write"))
      yield* act(() => free(page).fill("Before After"))
      yield* act(() => page.evaluate("document.getElementById('free').setSelectionRange(6, 6)"))
      yield* give(page, "drop", [
        ["two.png", "image/png", png(2)],
        ["three.png", "image/png", png(3)],
        ["words.txt", "text/plain", Buffer.from("words")]
      ])
      yield* said(page, "2 pictures added.")
      yield* act(() => page.keyboard.type("The second"))
      assert.match(yield* value(), /^Before\n\n!\[The second\]\(\S+\)\n\n!\[\]\(\S+\)\n\n After$/)
      for (let press = 0; press < 30; press++) yield* act(() => page.keyboard.press("Control+z"))
      assert.notInclude(yield* value(), "![The second")

      yield* act(() => free(page).fill(""))
      yield* give(page, "paste", [["image.png", "image/png", png(4)]])
      yield* said(page, "Picture added.")
      assert.match(yield* value(), /^!\[\]\(\S+\)\n$/)
      yield* act(async () => {
        await page.getByText("Add a picture", { exact: true }).click()
        await page.getByLabel("Describe the picture for readers who can't see it").fill("A bridge")
        await page.getByLabel("Picture file", { exact: true }).setInputFiles(fileOf("bridge.png", png(5)))
        await page.getByRole("button", { name: "Insert", exact: true }).click()
      })
      yield* said(page, "The picture is at the end of the text.")
      assert.match(yield* value(), /^!\[\]\(\S+\)\n\n!\[A bridge\]\(\S+\)\n$/)
      yield* said(page, /^Saved \d/)
      yield* clean(tab, "a text with pictures")

      yield* act(() => page.reload())
      yield* act(() => page.locator('summary[aria-label="More about this picture: A bridge"]').click())
      yield* act(() => page.getByRole("button", { name: "Remove this picture: A bridge" }).click())
      yield* said(page, "The picture is removed.")
      assert.match(yield* value(), /^!\[\]\(\S+\)\n+$/)
      yield* said(page, /^Saved \d/)
      yield* clean(tab, "a text without a picture")

      yield* give(page, "drop", [["bad.png", "image/png", Buffer.from("no picture")]])
      yield* said(page, /^The picture was not added\. We can't use this image/)
      yield* give(page, "drop", [["words.txt", "text/plain", Buffer.from("words")]])
      yield* said(page, "Only pictures can go into the text.")

      // A press waits for a picture that is on its way.
      yield* act(() =>
        page.route("**/write/**", async (route) => {
          const type = route.request().headers()["content-type"] ?? ""
          if (type.startsWith("multipart/")) await page.waitForTimeout(1000)
          return route.continue()
        })
      )
      yield* give(page, "drop", [["six.png", "image/png", png(6)]])
      yield* act(() => page.getByRole("button", { name: "Preview" }).click())
      yield* act(() => page.waitForURL(/\/preview$/))
      assert.strictEqual(yield* act(() => page.locator(".prose img").count()), 2)
    })
  )

  it.live("A picture lands where it is dropped, outside of other pictures, also over plain HTTP", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_places", { SCANNER: "none" })
      const tab = yield* windowOf(press)
      const { page } = tab
      const value = () => act(() => free(page).inputValue())
      // Pages of another machine without a certificate do not have it.
      yield* act(() => page.addInitScript("delete Crypto.prototype.randomUUID"))
      yield* signInAs(page, 1)
      yield* act(() => page.goto("/write"))
      yield* act(() => free(page).fill("First\n\nSecond\n\nThird"))
      yield* act(() =>
        page.evaluate(`(() => {
          free.setSelectionRange(0, 0)
          free.style.font = "20px/40px monospace"
          free.style.padding = "0"
          free.scrollIntoView({ block: "center", behavior: "instant" })
          const { left, top } = free.getBoundingClientRect()
          const dataTransfer = new DataTransfer()
          dataTransfer.items.add(new File([new Uint8Array(${JSON.stringify([...png(1)])})], "one.png", { type: "image/png" }))
          // The third line, behind its last letter.
          const place = { clientX: left + 300, clientY: top + 100 }
          free.dispatchEvent(new DragEvent("drop", { ...place, dataTransfer, bubbles: true, cancelable: true }))
        })()`)
      )
      yield* said(page, "Picture added.")
      assert.match(yield* value(), /^First\n\nSecond\n\n!\[\]\(\S+\)\n\nThird$/)
      // The caret is between the brackets of the first one.
      yield* give(page, "paste", [["two.png", "image/png", png(2)]])
      yield* act(async () => {
        while ((await free(page).inputValue()).split("](").length < 3) await page.waitForTimeout(100)
      })
      assert.match(yield* value(), /^First\n\nSecond\n\n!\[\]\(\S+\)\n\n!\[\]\(\S+\)\n\nThird$/)
      yield* clean(tab, "a text with two pictures")
    })
  )

  it.live("A photo that is too large for the service is made smaller first", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_photos", { SCANNER: "none" })
      const tab = yield* windowOf(press)
      const { page } = tab
      yield* signInAs(page, 1)
      yield* act(() => page.goto("/write"))
      for (const [width, height, type] of [
        [8000, 6000, "image/png"],
        [3000, 2500, "image/jpeg"]
      ] as const) {
        yield* act(() => free(page).fill(""))
        const bytes = yield* act(() =>
          page.evaluate<number>(`(async () => {
            const canvas = Object.assign(document.createElement("canvas"), { width: ${width}, height: ${height} })
            const context = canvas.getContext("2d")
            const noise = new ImageData(1000, ${type === "image/png" ? 10 : 1000})
            for (let at = 0; at < noise.data.length; at++) noise.data[at] = at % 4 === 3 ? 255 : (at * 2654435761) >>> 24
            for (let x = 0; x < ${width}; x += 1000) for (let y = 0; y < ${height}; y += 1000) context.putImageData(noise, x, y)
            const blob = await new Promise((resolve) => canvas.toBlob(resolve, "${type}", 1))
            const clipboardData = new DataTransfer()
            clipboardData.items.add(new File([blob], "photo", { type: "${type}" }))
            free.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
            return blob.size
          })()`)
        )
        if (type === "image/jpeg") assert.isAbove(bytes, 5 * 1024 * 1024)
        yield* act(async () => {
          while (!(await free(page).inputValue()).includes("](")) await page.waitForTimeout(100)
        })
        yield* said(page, "Picture added.")
      }
      yield* clean(tab, "a text with a photo")
    })
  )
})
