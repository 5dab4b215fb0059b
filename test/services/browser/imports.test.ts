import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { zipOf } from "../../publishing/archives/makeZip.ts"
import { pngOf } from "../../publishing/image-formats/png/makePng.ts"
import { act, clean, pathOf, signInAs, site, windowOf } from "./site.ts"

/** Most presses from the desk to the first draft on the page to write on. */
const PRESSES_MAX = 5

const PRESSES = ["Bring your posts", "Your file", "Read it", "Create drafts", "Open the draft"]

const FOLDER = {
  name: "old-house.zip",
  mimeType: "application/zip",
  buffer: Buffer.from(
    zipOf([
      {
        name: "posts/lamps.md",
        content:
          "---\ntitle: Eleven lamps\ndate: 2021-03-04\n---\n\nThe coast is lit.\n\n![A lamp](lamp.png)\n\n![The boat](boat.png)\n"
      },
      { name: "posts/lamp.png", content: pngOf({ width: 64, height: 48, seed: 1 }) },
      { name: "posts/boat.png", content: pngOf({ width: 64, height: 48, seed: 2 }) },
      {
        name: "posts/bread.md",
        content: "---\ntitle: Bread at four\ndate: 2021-05-06\n---\n\nThe hour belongs to the dough.\n"
      }
    ])
  )
}

/** Waits for a button of an import that works. Without a script, a person looks again. */
const waitFor = (page: Page, hasScript: boolean, name: string) =>
  act(async () => {
    const found = page.getByRole("button", { name, exact: true })
    if (hasScript) await found.waitFor()
    else
      while ((await found.count()) === 0)
        await page
          .getByRole("link", { name: "Check again" })
          .click({ timeout: 5_000 })
          .then(() => page.waitForTimeout(500))
  })

describe("people who bring their posts, in a real browser", () => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with a script" : "without one"
    it.live(`A folder of Markdown with two pictures becomes drafts in ${PRESSES_MAX} presses, ${how}`, () =>
      Effect.gen(function* () {
        const name = `test_services_imports_${String(javaScriptEnabled)}`
        const press = yield* site(name, { SCANNER: "none" })
        const tab = yield* windowOf(press, { javaScriptEnabled, viewport: { width: 375, height: 812 } })
        const { page } = tab
        const check = (of: string) => (javaScriptEnabled ? clean(tab, of) : Effect.void)
        const presses: Array<string> = []
        const button = (of: string) => {
          presses.push(of)
          return act(() => page.getByRole("button", { name: of, exact: true }).first().click())
        }
        const link = (of: string, named: RegExp | string = of) => {
          presses.push(of)
          return act(() => page.getByRole("link", { name: named }).first().click())
        }
        yield* signInAs(page, 7, "/desk")

        yield* link("Bring your posts")
        yield* check("the page on which posts are brought")
        presses.push("Your file")
        yield* act(async () => {
          const choosing = page.waitForEvent("filechooser")
          await page.getByLabel("Your file", { exact: true }).click()
          await (await choosing).setFiles([FOLDER])
        })
        yield* button("Read it")
        yield* waitFor(page, javaScriptEnabled, "Create drafts")
        yield* check("a file that was read")
        const read = yield* act(() => page.innerText("main"))
        for (const said of ["Eleven lamps", "Bread at four", "2 pictures: 2 in the file"])
          assert.include(read, said)
        assert.match(read, /\b2\s+ready\b/)
        yield* button("Create drafts")
        yield* waitFor(page, javaScriptEnabled, "Undo")
        yield* check("an import that is done")
        const done = pathOf(page)
        yield* link("Open the draft", /^Open the draft of Eleven lamps/)
        yield* act(() => page.waitForURL("**/write/*"))
        assert.deepStrictEqual(presses, PRESSES)
        assert.isAtMost(presses.length, PRESSES_MAX)

        const text = yield* act(() =>
          page.getByLabel("The part that everyone reads", { exact: true }).inputValue()
        )
        assert.include(text, "The coast is lit.")
        assert.lengthOf(text.match(/!\[[^\]]+\]\(\S+\)/g) ?? [], 2)
        const draft = pathOf(page)

        yield* act(() => page.goto(done))
        yield* link("See it", /^See it as it will look: Eleven lamps/)
        yield* act(() => page.getByRole("heading", { name: "Eleven lamps", level: 1 }).waitFor())
        yield* check("a post as it will look")
        const post = yield* act(() => page.innerText("article"))
        for (const said of ["The coast is lit.", "Picture: A lamp", "Picture: The boat"])
          assert.include(post, said)
        yield* link("All posts of this file")
        yield* button("Undo")
        yield* act(() => page.locator("#outcome", { hasText: "Undone." }).waitFor())
        yield* check("an import that was undone")
        assert.strictEqual((yield* act(() => page.goto(draft)))?.status(), 404)
      })
    )
  }
})
