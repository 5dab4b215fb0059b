import { readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { importerOf, workImports } from "./importer.ts"

const README = readFileSync(new URL("../../../src/publishing/README.md", import.meta.url), "utf8")

/** Returns the requests of the block `sh import`, as curl would send them. */
const requests = () => {
  const [, block = ""] = /^```sh import\n([\s\S]*?)^```$/m.exec(README) ?? []
  return block
    .split(/^curl /m)
    .slice(1)
    .map((command) => ({
      method: /-X (\w+)/.exec(command)?.[1] ?? "POST",
      json: /--json '([^']*)'/.exec(command)?.[1],
      // As bash writes `$'…'`.
      bytes: Buffer.from(
        (/--data-binary \$?'([^']*)'/.exec(command)?.[1] ?? "").replaceAll(String.raw`\n`, "\n")
      ),
      headers: Object.fromEntries(
        [...command.matchAll(/-H "([^:]+): ([^"]*)"/g)].map(([, name = "", value = ""]) => [
          name.toLowerCase(),
          value
        ])
      ),
      path: /http:\/\/localhost:4020(\S+)/.exec(command)?.[1] ?? ""
    }))
}

layer(service(database("test_import_readme")))("the README", (it) => {
  it.effect("The three requests of the README make a draft of a file", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* importerOf(1)
      const known: Record<string, string> = { KEY: author.key }
      const filled = (text: string) => text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => known[name] ?? "")
      const all = requests()
      assert.lengthOf(all, 3)
      for (const { bytes, headers, json, method, path } of all) {
        const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]))
        const answer = yield* client.send(method, filled(path), {
          headers: json === undefined ? { ...sent, "content-length": String(bytes.length) } : sent,
          body: json === undefined ? bytes : JSON.parse(json)
        })
        assert.oneOf(answer.status, [200, 201, 202], answer.text)
        known["IMPORT_ID"] ??= answer.body.id
        yield* workImports
      }
      const { body } = yield* author.items(known["IMPORT_ID"] ?? "")
      const [item] = body.data
      assert.deepStrictEqual([item.outcome, item.title], ["created", "Hello"])
      const post = yield* client.send("GET", `/api/v1/posts/${item.postId}`, { token: author.key })
      assert.strictEqual(post.body.freeContentMarkdown, "A penny for you.")
    })
  )
})
