import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { commenterOf } from "../../support/actors/commenter.ts"
import { act, signInAs, site, windowOf } from "./site.ts"

const FOLDER = "src/web/screenshots"
const BYTES_MAX = 100_000
const WINDOW = { viewport: { width: 960, height: 800 }, deviceScaleFactor: 1.5 }

/** With `RECORD_SCREENSHOTS=1`, the test writes the pictures of the README. */
const isRecording = process.env["RECORD_SCREENSHOTS"] !== undefined

const FOR_SALE = {
  title: "The lighthouse keeper's arithmetic",
  description: "How eleven lamps, one boat and a very small wage kept a coast lit for sixty years.",
  freeContentMarkdown: [
    "Every Saturday the boat brought oil, bread and a bill. The keeper paid it in coins that were worth less than the oil they bought.",
    "",
    "> A light that no one pays for still has to burn."
  ].join("\n"),
  paidContentMarkdown: Array.from(
    { length: 12 },
    () => "The first book begins in the winter of 1891, with a storm and a list of what it broke."
  ).join("\n\n"),
  enablePaywall: true,
  priceXno: "0.02",
  primaryCategoryId: 3
}

const OTHERS = [
  {
    title: "Bread at four in the morning",
    description: "A baker on the hour that belongs to the dough, and to the people who wait for it.",
    primaryCategoryId: 5
  },
  {
    title: "A field guide to small bridges",
    description: "Nine crossings of one stream, and what each of them says about its builder.",
    primaryCategoryId: 12
  }
]

describe("the pictures of the README", () => {
  it.live("The home page, a post for sale and the page to write on are what the README shows", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_screenshots", { NEW_ACCOUNTS: "list" })
      const { client, overWire } = press
      yield* Effect.forEach([press.free.id, press.sold.id], (id) =>
        Effect.map(overWire(press.author.unpublish(id)), ({ status }) => assert.strictEqual(status, 200))
      )
      const author = yield* overWire(commenterOf(2))
      const named = yield* client.send("PATCH", "/api/v1/profile", {
        token: author.key,
        body: { name: "Mara Lindqvist", handle: "mara" }
      })
      assert.strictEqual(named.status, 200, named.text)
      for (const post of OTHERS) yield* overWire(author.published(post))
      const { slug } = yield* overWire(author.published(FOR_SALE))

      const { page } = yield* windowOf(press, WINDOW)
      const shown = Effect.fnUntraced(function* (name: string, alone: string) {
        const picture = yield* act(async () => {
          // The caret blinks.
          assert.isTrue(await page.getByText(alone).first().isVisible(), name)
          return sharp(await page.screenshot({ caret: "hide", animations: "disabled" }))
            .webp({ quality: 82 })
            .toBuffer()
        })
        assert.isAtMost(picture.length, BYTES_MAX, name)
        const path = join(FOLDER, `${name}.webp`)
        if (isRecording) {
          mkdirSync(FOLDER, { recursive: true })
          writeFileSync(path, picture)
        }
        assert.isTrue(existsSync(path), path)
        const [{ height, width }, made] = yield* act(() =>
          Promise.all([sharp(path).metadata(), sharp(picture).metadata()])
        )
        assert.deepStrictEqual([width, height], [made.width, made.height], path)
      })

      yield* act(() => page.goto("/newest"))
      yield* shown("newest", FOR_SALE.title)
      yield* act(() => page.goto(`/@mara/${slug}`))
      yield* shown("post", "Keep reading for 0.02 XNO")
      yield* signInAs(page, 2, "/write")
      yield* act(async () => {
        await page.getByLabel("Title", { exact: true }).fill(FOR_SALE.title)
        await page
          .getByLabel("The part that everyone reads", { exact: true })
          .fill(FOR_SALE.freeContentMarkdown)
        await page.getByText("Add a paid part").click()
        await page
          .getByLabel("The part that you sell", { exact: true })
          .fill("The first book begins in the winter of 1891.")
        await page.locator("#terms").click()
        await page.getByLabel("Price in XNO").fill("0.02")
        await page.locator("#terms").click()
        await page.evaluate("scrollTo(0, 0)")
      })
      yield* shown("write", "Paid from here")
    })
  )
})
