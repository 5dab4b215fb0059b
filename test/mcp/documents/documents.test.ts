import { globSync, readFileSync } from "node:fs"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { aiCatalog, serverCard } from "../../../src/mcp/documents/documents.ts"
import { localSettings } from "../../../src/mcp/documents/localProgram.ts"
import { database } from "../../support/Database.ts"
import { BASE_URL, LOCAL, service, TestClient } from "../../support/TestClient.ts"
import { call } from "../toolServer.ts"

layer(service(database("test_mcp_documents")))("documents of the tool server", (it) => {
  it.effect("The documents say where the server is, and which revisions it speaks", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const catalog = yield* client.send("GET", "/.well-known/ai-catalog.json")
      assert.strictEqual(catalog.status, 200)
      assert.strictEqual(catalog.headers.get("content-type"), "application/ai-catalog+json")
      const { entries } = JSON.parse(catalog.text)
      assert.lengthOf(entries, 1)
      assert.strictEqual(entries[0].type, "application/mcp-server-card+json")
      assert.strictEqual(entries[0].identifier, "urn:air:press.test:mcp:pennypress")

      const card = yield* client.send("GET", entries[0].url.slice(BASE_URL.length))
      assert.strictEqual(card.headers.get("content-type"), "application/mcp-server-card+json")
      assert.strictEqual(
        card.headers.get("cache-control"),
        "public, max-age=15, stale-while-revalidate=15, stale-if-error=300"
      )
      const read = JSON.parse(card.text)
      assert.deepStrictEqual(read, serverCard(BASE_URL, "Pennypress"))
      assert.match(read.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
      assert.isAtMost(read.description.length, 100)
      assert.deepStrictEqual(read.remotes, [
        {
          type: "streamable-http",
          url: `${BASE_URL}/mcp`,
          supportedProtocolVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
        }
      ])
    })
  )

  it("The documents have a name on every host", () => {
    for (const [origin, name] of [
      ["https://www.press.example", "example.press.www/pennypress"],
      ["http://localhost:4020", "localhost/pennypress"],
      ["http://127.0.0.1:4020", "localhost/pennypress"],
      ["http://[::1]:4020", "localhost/pennypress"]
    ] as const) {
      assert.strictEqual(serverCard(origin, "Pennypress").name, name)
      assert.strictEqual(aiCatalog(origin, "Pennypress").entries[0]?.url, `${origin}/mcp/server-card`)
    }
  })

  it.effect("The documents agree about the release with the context of the hosted edition", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { body } = yield* client.send("GET", "/api/tool-server/release")
      const { structuredContent: context } = yield* call("svc_context")
      assert.deepStrictEqual(context.release, {
        installedVersion: body.version,
        latestVersion: body.version,
        updateAvailable: false,
        status: "current",
        installationUrl: body.installationUrl,
        latestRelease: { version: body.version, publishedAt: body.publishedAt, notesUrl: body.notesUrl }
      })
      assert.strictEqual(context.service.apiVersion, OpenApi.fromApi(Api).info.version)
      assert.deepStrictEqual(context.identity, {
        status: "not-selected",
        authorKind: null,
        authorKindStatus: "unknown",
        setup: null
      })
    })
  )

  it.effect("The documents lead to a page about installing and about the release", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const { body } = yield* client.send("GET", "/api/tool-server/release")
      for (const address of [body.installationUrl, body.notesUrl]) {
        const { hash, origin, pathname } = new URL(address)
        assert.strictEqual(origin, BASE_URL)
        const page = yield* client.send("GET", pathname)
        assert.strictEqual(page.status, 200)
        assert.strictEqual(page.headers.get("content-type"), "text/html; charset=utf-8")
        assert.include(page.text, `id="${hash.slice(1)}"`)
        const [hosted, local] = [...page.text.matchAll(/<pre><code>(\{.*?)<\/code>/gs)].map(([, json = ""]) =>
          JSON.parse(json)
        )
        assert.strictEqual(hosted.mcpServers.pennypress.url, `${BASE_URL}/mcp`)
        assert.deepStrictEqual(local, localSettings(BASE_URL))
      }
    })
  )

  it.effect("No text of the project names a package of npm that a stranger could take", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const strange =
        /\b(?:npx|npm (?:i|install|add|exec))(?: -\S+)* (?:svc-mcp|pennypress)(?=[@\s`"<]|$)|(?<![\w./-])(?:svc-mcp|pennypress)@(?:\d|\$\{)/gm
      for (const text of ["npx -y svc-mcp", '"svc-mcp@0.2.1"', "npm install -g pennypress\n"]) {
        assert.match(text, new RegExp(strange, "m"))
      }
      for (const path of [
        "/llms.txt",
        "/mcp/server-card",
        "/.well-known/ai-catalog.json",
        "/mcp/guide",
        "/docs",
        "/docs/tool-servers.md",
        "/openapi.json"
      ]) {
        const { status, text } = yield* client.send("GET", path)
        assert.strictEqual(status, 200, path)
        assert.deepStrictEqual(text.match(strange), null, path)
      }
      for (const file of globSync([
        "*.md",
        "{schemas,src,layers,test}/**/*.md",
        "{schemas,src,layers}/**/*.ts"
      ])) {
        assert.deepStrictEqual(readFileSync(file, "utf8").match(strange), null, file)
      }
    })
  )

  it.effect("Calls are counted by their outcome", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      yield* call("svc_preview", { post_id: "0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e" })
      yield* call("svc_preview", {})
      const { text } = yield* client.send("GET", "/metrics", LOCAL)
      for (const outcome of ["not_public", "invalid-arguments"]) {
        assert.include(text, `tool_calls_total{edition="hosted",tool="svc_preview",outcome="${outcome}"}`)
      }
      assert.match(text, /tool_call_duration_seconds_count\{[^}]*tool="svc_preview"/)
    })
  )
})
