import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../support/actors/author.ts"
import { TestClient } from "../support/TestClient.ts"
import { started } from "../wire/server.ts"
import { clientOver } from "./uploadClient.ts"

const xmllint = process.env["SERVICES_XMLLINT"] ?? "/usr/bin/xmllint"
const python = process.env["SERVICES_PYTHON"] ?? "/usr/bin/python3"

/** Runs a program over a document, and returns what it prints. */
const over = (program: string, args: ReadonlyArray<string>, document: string, name: string) => {
  const { error, status, stderr, stdout } = spawnSync(program, args, { input: document, encoding: "utf8" })
  assert.isUndefined(error, name)
  assert.deepStrictEqual([status, stderr], [0, ""], name)
  return stdout
}

/** Reads a feed from the standard input, and prints what a reader of feeds makes of it. */
const READ = `
import feedparser, json, sys
read = feedparser.parse(sys.stdin.buffer.read())
print(json.dumps({
  "bozo": bool(read.bozo),
  "version": read.version,
  "entries": [{
    "id": entry.id,
    "title": entry.title,
    "link": entry.link,
    "author": entry.author,
    "published": list(entry.published_parsed)[:6],
    "content": entry.content[0].value
  } for entry in read.entries]
}))`

const TITLE = `]]> <b>"Pennies"</b> & pounds: 1 < 2 'ok' 🪙 العربية`
const TEXT = `A *penny* & a pound, 1 < 2 ]]> and \`<script>alert(1)</script>\`.`

describe("feeds and sitemaps", () => {
  it.live("The tools of others read the feeds and sitemaps", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_services_feeds", {}, { NEW_ACCOUNTS: "list" })
      const overWire = Effect.provideService(TestClient, clientOver(origin))
      const author = yield* overWire(authorOf(1))
      const post = { title: TITLE, freeContentMarkdown: TEXT, primaryCategoryId: 30, secondaryCategoryId: 29 }
      const { id } = yield* overWire(author.published(post))
      const get = (path: string) =>
        Effect.map(
          overWire(Effect.flatMap(TestClient, ({ send }) => send("GET", path))),
          ({ status, text }) => {
            assert.strictEqual(status, 200, path)
            return text
          }
        )

      for (const start of ["", `/@${author.handle}`, "/c/travel"]) {
        const readings = yield* Effect.forEach(["atom.xml", "rss.xml"], (name) =>
          Effect.map(get(`${start}/${name}`), (document) => {
            over(xmllint, ["--noout", "--nonet", "-"], document, `${start}/${name}`)
            return JSON.parse(over(python, ["-c", READ], document, `${start}/${name}`))
          })
        )
        assert.deepStrictEqual(
          readings.map(({ bozo, version }) => [bozo, version]),
          [
            [false, "atom10"],
            [false, "rss20"]
          ]
        )
        for (const { entries } of readings) {
          assert.lengthOf(entries, 1)
          const [entry] = entries
          assert.strictEqual(entry.id, `urn:uuid:${id}`)
          assert.strictEqual(entry.author, "Author 1")
          assert.include(entry.content, "<em>penny</em>")
          assert.notInclude(entry.content, "<script")
          assert.include(entry.title, "🪙 العربية")
        }
        assert.deepStrictEqual(readings[0].entries[0].published, readings[1].entries[0].published)
      }
      for (const path of ["/sitemap.xml", "/sitemaps/posts.xml", "/sitemaps/authors.xml"])
        over(xmllint, ["--noout", "--nonet", "-"], yield* get(path), path)
    })
  )
})
