import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../../support/contract.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { validated } from "../pages/documents.ts"

/** Bytes of a page on the wire. */
const PAGE_BYTES_MAX = 10_000

const get = Effect.fnUntraced(function* (path: string) {
  return yield* (yield* TestClient).send("GET", path)
})

const slugOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

/** Returns a document with every shared part in the places that refer to it. No schema of the contract holds itself. */
const inlined = (document: any): any => {
  const visit = (value: any): any => {
    if (typeof value !== "object" || value === null) return value
    if (Array.isArray(value)) return value.map(visit)
    const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(value.$ref ?? "") ?? []
    if (kind !== "") return visit(document.components[kind][name])
    return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, visit(it)]))
  }
  return visit(document)
}

/** Returns the document with its shared parts in the places that refer to them, and the paths of its pages. */
const described = Effect.gen(function* () {
  const { body } = yield* get("/openapi.json")
  const tags: ReadonlyArray<string> = body.tags.map(({ name }: { readonly name: string }) => name)
  const all = Object.entries<any>(inlined(body).paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => ({ path, method, operation }))
  )
  return { tags, all, pages: ["/docs", ...tags.map((it) => `/docs/${slugOf(it)}`)] }
})

/** Returns the text of the part of a page that is about an operation. */
const partOf = (page: string, operationId: string) => {
  const [, part = ""] = page.split(`<h2 id="${operationId}">`)
  return part.split("<h2", 1)[0] ?? ""
}

/** Returns the names of all members of a value, also of the objects in it. */
const membersOf = (schema: any): ReadonlyArray<string> => [
  ...Object.keys(schema.properties ?? {}),
  ...Object.values<any>(schema.properties ?? {}).flatMap(membersOf),
  ...[schema.anyOf ?? [], schema.allOf ?? [], schema.items ?? []].flat().flatMap(membersOf)
]

layer(service(database("test_web_docs")))("the reference of the API", (it) => {
  it.effect("Every operation is on the page of its tag with its path, parameters, members and answers", () =>
    Effect.gen(function* () {
      const { all } = yield* described
      assert.isAbove(all.length, 100)
      const index = (yield* get("/docs")).text
      let problems = 0
      for (const { method, operation, path } of all) {
        const { operationId, parameters, requestBody, responses, tags } = operation
        const address = `/docs/${slugOf(tags[0])}`
        assert.include(index, `id="${operationId}"`)
        assert.include(index, `href="${address}#${operationId}"`)
        const part = partOf((yield* get(address)).text, operationId)
        assert.include(part, `<code>${method.toUpperCase()} ${path}</code>`, operationId)
        const bodies = Object.values<any>(requestBody?.content ?? {}).map(({ schema }) => schema)
        const answers = Object.entries<any>(responses).filter(
          ([status]) => status < "400" || status === "402"
        )
        const contents = answers.flatMap(([, { content = {} }]) => Object.values<any>(content))
        for (const name of [
          ...parameters.map((it: { readonly name: string }) => it.name),
          ...[...bodies, ...contents.map(({ schema }) => schema)].flatMap(membersOf)
        ])
          assert.include(part, `<code>${name}</code>`, operationId)
        for (const [status] of answers) assert.include(part, `<strong>${status}</strong>`, operationId)
        for (const [, type = ""] of JSON.stringify(responses).matchAll(/problems\\\\\/([a-z-]+)\$/g)) {
          assert.include(part, `href="#error-${type}"`, operationId)
          problems++
        }
        if (contents.some(({ example }) => example !== undefined))
          assert.strictEqual(part.match(/<pre>/g)?.length, 2, operationId)
      }
      assert.isAbove(problems, 100)
    })
  )

  it.effect("Each page is valid, light, and has a heading", () =>
    Effect.gen(function* () {
      const { send } = yield* TestClient
      for (const path of (yield* described).pages) {
        const { status, text } = yield* get(path)
        assert.strictEqual(status, 200, path)
        const tree = validated(text, path)
        assert.strictEqual(tree.filter(({ tag }) => tag === "h1").length, 1, path)
        const coded = yield* send("HEAD", path, { headers: { "accept-encoding": "br" } })
        assert.isAtMost(Number(coded.headers.get("content-length")), PAGE_BYTES_MAX, path)
      }
    })
  )

  it.effect("Every link within the reference leads to a place that exists", () =>
    Effect.gen(function* () {
      const { pages } = yield* described
      const places = new Set(pages)
      const links = new Set<string>()
      for (const path of pages) {
        const { text } = yield* get(path)
        for (const [, id = ""] of text.matchAll(/ id="([^"]+)"/g)) places.add(`${path}#${id}`)
        for (const [, to = ""] of text.matchAll(/ href="([^"]+)"/g))
          links.add(to.startsWith("#") ? path + to : to)
      }
      const own = [...links].filter((it) => /^\/(docs|openapi|problems)/.test(it))
      assert.isAbove(own.length, 300)
      for (const link of own) {
        if (places.has(link)) continue
        assert.notInclude(link, "#")
        assert.strictEqual((yield* get(link)).status, 200, link)
      }
    })
  )

  it.effect("A page of the reference has the policy and the files of every page, and no others", () =>
    Effect.gen(function* () {
      const about = yield* get("/about")
      const filesOf = (text: string) =>
        [...text.matchAll(/ (?:src|href)="(\/assets\/[^"]+)"/g)].map(([, it]) => it)
      for (const path of ["/docs", "/docs/own-posts"]) {
        const { headers, text } = yield* get(path)
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
        assert.strictEqual(
          headers.get("content-security-policy"),
          about.headers.get("content-security-policy"),
          path
        )
        assert.deepStrictEqual(filesOf(text), filesOf(about.text), path)
        assert.notMatch(text, / style="|<style|<noscript/)
      }
      for (const other of ["/openapi.json", "/llms.txt"])
        assert.include((yield* get("/docs")).text, `href="${other}"`)
      for (const other of ["/docs/own-posts.md", "/openapi/own-posts.json"])
        assert.include((yield* get("/docs/own-posts")).text, `href="${other}"`)
    })
  )

  it.effect("Documents of the API are compressed, and not sent to a client that has them", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const paths = [
        "/docs",
        "/docs/own-posts",
        "/openapi.json",
        "/openapi/own-posts.json",
        "/docs/own-posts.md"
      ]
      for (const path of paths) {
        const plain = yield* get(path)
        assert.strictEqual(
          plain.headers.get("cache-control"),
          "public, max-age=3600, stale-while-revalidate=3600, stale-if-error=86400",
          path
        )
        assert.strictEqual(plain.headers.get("vary"), "Accept-Encoding", path)
        for (const coding of ["br", "gzip"]) {
          const coded = yield* client.send("HEAD", path, { headers: { "accept-encoding": coding } })
          assert.strictEqual(coded.headers.get("content-encoding"), coding, path)
          const length = Number(coded.headers.get("content-length"))
          assert.isBelow(length, Buffer.byteLength(plain.text) / 2, `${path} ${coding}`)
          const etag = coded.headers.get("etag") ?? ""
          assert.notStrictEqual(etag, plain.headers.get("etag"))
          const known = yield* client.send("GET", path, {
            headers: { "accept-encoding": coding, "if-none-match": etag }
          })
          assert.deepStrictEqual([known.status, known.text, known.headers.get("etag")], [304, "", etag], path)
        }
      }
    })
  )

  it.effect("Each tag has a document and a text of its own, and no other file is there", () =>
    Effect.gen(function* () {
      const { body } = yield* get("/openapi.json")
      for (const { name } of body.tags) {
        const slug = slugOf(name)
        const own = yield* get(`/openapi/${slug}.json?x=1`)
        assert.deepStrictEqual([own.status, own.body.tags[0].name], [200, name])
        const text = yield* get(`/docs/${slug}.md`)
        assert.strictEqual(text.headers.get("content-type"), "text/markdown; charset=utf-8")
        assert.match(text.text, new RegExp(`^# Pennypress: ${name}\n`))
      }
      for (const path of [
        "/openapi/none.json",
        "/openapi/own-posts.md",
        "/docs/own-posts.json",
        "/docs/none",
        "/docs/__proto__",
        "/docs/own-posts/x",
        "/docs/viewer.js"
      ])
        assert.strictEqual((yield* get(path)).status, 404, path)
    })
  )

  it.effect("The document /openapi.json is OpenAPI 3.1, of version 1.0.0, with every operation", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* get("/openapi.json")
      assert.strictEqual(headers.get("content-type"), "application/json")
      assert.match(body.openapi, /^3\.1\.\d+$/)
      assert.strictEqual(body.info.version, "1.0.0")
      for (const { method, path } of operations) {
        const operation = body.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()]
        assert.match(operation?.operationId ?? "", /^[A-Za-z]+$/, `${method} ${path}`)
      }
    })
  )
})
