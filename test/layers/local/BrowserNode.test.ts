import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as BrowserNode from "../../../layers/local/BrowserNode.ts"
import { Browser } from "../../../src/mcp/local/ports/Browser.ts"
import { temporaryDirectory } from "../../support/directories.ts"
import { eventually } from "../../support/eventually.ts"

const OPENER = process.platform === "darwin" ? "open" : "xdg-open"

/** Looks for programs in this directory alone. Returns where they were looked for before. */
const setPath = (path: string | undefined) => {
  const { env } = process
  const before = env["PATH"]
  env["PATH"] = path
  return before
}

/** Makes this directory the only one in which programs are looked for, until the scope ends. */
const onPath = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => setPath(directory)),
    (before) => Effect.sync(() => setPath(before))
  )

/** A directory whose opener writes down its arguments, and then does this. */
const openerThat = Effect.fnUntraced(function* (does: string) {
  const directory = yield* temporaryDirectory
  const path = join(directory, OPENER)
  const told = join(directory, "told")
  writeFileSync(path, `#!/bin/sh\nfor word in "$#" "$@"; do echo "$word"; done > '${told}'\n${does}\n`)
  chmodSync(path, 0o700)
  yield* onPath(directory)
  return {
    told: Effect.as(
      eventually(
        "the arguments",
        Effect.sync(() => existsSync(told) && readFileSync(told, "utf8").endsWith("\n"))
      ),
      told
    ).pipe(Effect.map((it) => readFileSync(it, "utf8").trim().split("\n")))
  }
})

const opened = (address: string) =>
  Effect.flatMap(Browser, (browser) => browser.open(new URL(address))).pipe(Effect.provide(BrowserNode.layer))

describe.skipIf(process.platform === "win32")("the browser of this machine", () => {
  it.live("The browser gets the address as one word, which no shell reads", () =>
    Effect.gen(function* () {
      const address = "https://press.test/@a/b?x=1&y=$(touch%20pwned);`id`|'\"#--help"
      const opener = yield* openerThat("exit 0")
      assert.isTrue(yield* opened(address))
      assert.deepStrictEqual(yield* opener.told, ["1", new URL(address).href])
    })
  )

  it.live("The browser counts as opened once it began, however long it stays", () =>
    Effect.gen(function* () {
      const opener = yield* openerThat("exec /bin/sleep 3")
      assert.isTrue(yield* opened("https://press.test/"))
      assert.deepStrictEqual(yield* opener.told, ["1", "https://press.test/"])
    })
  )

  it.live("A missing or failing browser counts as not opened", () =>
    Effect.gen(function* () {
      yield* openerThat("exit 3")
      assert.isFalse(yield* opened("https://press.test/"))
      yield* onPath(yield* temporaryDirectory)
      assert.isFalse(yield* opened("https://press.test/"))
    })
  )
})
