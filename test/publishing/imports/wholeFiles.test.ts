import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ImportReaderProcess from "../../../layers/imports/ImportReaderProcess.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { zipOf } from "../archives/makeZip.ts"
import { pngOf } from "../image-formats/png/makePng.ts"
import { importerOf, workImports } from "./importer.ts"

const directory = mkdtempSync(join(tmpdir(), "pennypress-imports-"))

/** Reads files in processes, as the service does. */
const inProcesses = service(database("test_import_whole"), 1, {
  changePorts: (ports) => Layer.merge(ports, ImportReaderProcess.layer({ directory }))
})

const markdown = (members: string, text: string) => `---\n${members}\n---\n\n${text}\n`

layer(inProcesses)("files of other programs", (it) => {
  it.effect("A ZIP of Markdown becomes drafts with their dates, pictures and links", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(1)
      const file = zipOf([
        {
          name: "blog/posts/one.md",
          content: markdown(
            "title: One penny\ndate: 2019-04-05T06:07:08Z\nslug: one-penny",
            "See [the other](two.md) and ![a coin](../img/coin.png)."
          )
        },
        {
          name: "blog/posts/two.md",
          content: markdown("title: Two pennies\npaid: true", "Free\n\n<!--paid-->\n\nWalled")
        },
        { name: "blog/img/coin.png", content: pngOf({ width: 8, height: 8, seed: 5 }) }
      ])
      const read = yield* author.imported(file, { fileName: "blog.zip" })
      assert.strictEqual(read.state, "review", JSON.stringify(read.error))
      assert.strictEqual(read.kind, "markdown")
      yield* author.apply(read.id)
      yield* workImports
      const { data } = (yield* author.items(read.id)).body
      const { handle } = (yield* author.profile()).body
      const [one, two] = [yield* author.read(data[0].postId), yield* author.read(data[1].postId)]
      assert.deepInclude(one.body, {
        title: "One penny",
        slug: "one-penny",
        datedAt: "2019-04-05T06:07:08.000000Z"
      })
      const url = /!\[a coin\]\(([^)]*)\)/.exec(one.body.freeContentMarkdown)?.[1]
      assert.match(url ?? "", /^https:\/\/press\.test\/media\/[0-9a-f-]{36}\.png$/)
      assert.include(
        one.body.freeContentMarkdown,
        `[the other](https://press.test/@${handle}/${two.body.slug})`
      )
      assert.deepInclude(two.body, { enablePaywall: true, priceRaw: null })
      assert.include(two.body.paidContentMarkdown, "Walled")
      assert.notInclude(two.body.freeContentMarkdown ?? "", "Walled")
      const again = yield* author.imported(file, { fileName: "blog.zip" })
      assert.strictEqual(again.counts.unchanged, 2)
    })
  )

  it.effect("A file that is no export fails with its reason", () =>
    Effect.gen(function* () {
      const author = yield* importerOf(2)
      const failed = yield* author.imported(new Uint8Array(2000).fill(7), { fileName: "a.bin" })
      assert.strictEqual(failed.state, "failed")
      assert.strictEqual(failed.error.code, "unknown_form")
    })
  )
})
