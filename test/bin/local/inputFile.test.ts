import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readInputFile } from "../../../src/bin/local/inputFile.ts"
import { CodeInput } from "../../../src/mcp/local/setup/mailbox.ts"
import { stateDirectory } from "../../mcp/local/localEdition.ts"

const codeOf = (path: string) =>
  Effect.match(readInputFile(path, CodeInput), {
    onFailure: (failure) => {
      // A person sees this, and a log may.
      assert.notInclude(JSON.stringify(failure), "123456")
      return failure.code
    },
    onSuccess: ({ code }) => code
  })

describe("an input file", () => {
  it.effect("An input file is read only when it is this account's and not a link", () =>
    Effect.gen(function* () {
      const file = join(dirname(yield* stateDirectory), "code.json")
      const write = (text: string, mode = 0o600) => {
        rmSync(file, { force: true })
        writeFileSync(file, text, { mode })
        chmodSync(file, mode)
      }
      write('{"code":"123456"}')
      assert.strictEqual(yield* codeOf(file), "123456")
      for (const mode of [0o644, 0o640, 0o604, 0o700, 0o400]) {
        write('{"code":"123456"}', mode)
        assert.strictEqual(yield* codeOf(file), "input-file-insecure", mode.toString(8))
      }
      for (const text of ['{"code":"12345"}', '{"code":"123456","x":1}', "123456", "{", " ".repeat(65_537)]) {
        write(text)
        assert.strictEqual(yield* codeOf(file), "input-file-insecure", text.slice(0, 30))
      }
      write('{"code":"123456"}')
      symlinkSync(file, `${file}.link`)
      assert.strictEqual(yield* codeOf(`${file}.link`), "input-file-insecure")
      linkSync(file, `${file}.second`)
      assert.strictEqual(yield* codeOf(file), "input-file-insecure")
      mkdirSync(`${file}.directory`, { mode: 0o600 })
      assert.strictEqual(yield* codeOf(`${file}.directory`), "input-file-insecure")
      assert.strictEqual(yield* codeOf(`${file}.missing`), "input-file-insecure")
    })
  )
})
