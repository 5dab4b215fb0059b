import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"

const read = (file: string) => readFileSync(file, "utf8")

/** Returns the files of these names that a document does not name. */
const missingIn = (document: string, pattern: string) => {
  const text = read(document)
  return globSync(pattern).filter((file) => !text.includes(`\`${file}\``))
}

describe("the documents for contributors", () => {
  it("The page test/README.md lists every shared actor and every double", () => {
    assert.deepStrictEqual(missingIn("test/README.md", "test/support/actors/*.ts"), [])
    assert.deepStrictEqual(missingIn("test/README.md", "layers/testing/*Memory.ts"), [
      "layers/testing/ledgerStoreMemory.ts"
    ])
  })

  it("The page about the library shows the code of the embedder that a test runs", () => {
    const [, block = ""] = /^```ts embedder\n([\s\S]*?)^```$/m.exec(read("src/README.md")) ?? []
    const code = read("test/library/embedder.ts")
    const parts = block.trim().split("\n\n")
    assert.isAbove(parts.length, 3)
    for (const part of parts) assert.include(code, part)
  })

  it("The file for nvm picks the Node that the scripts run on", () => {
    const { dependencies } = JSON.parse(read("package.json"))
    assert.strictEqual(read(".nvmrc").trim(), dependencies.node.split(".")[0])
  })

  it("Editors wrap code where the formatter does", () => {
    const { printWidth } = JSON.parse(read(".oxfmtrc.json"))
    assert.include(read(".editorconfig"), `max_line_length = ${printWidth}\n`)
  })

  it("CONTRIBUTING.md names files that mention the operation", () => {
    const [, steps = ""] =
      /in the order to write\s+them:\n([\s\S]*?)\n10\. /.exec(read("CONTRIBUTING.md")) ?? []
    const files = [...steps.matchAll(/^\d+\. `([\w./-]+)`/gm)].map(([, file = ""]) => file)
    assert.isAbove(files.length, 6)
    for (const file of files) assert.match(read(file), /mute/i, file)
  })
})
