import { assert, describe, it } from "@effect/vitest"
import { TOOL_SERVER_VERSION } from "../../../schemas/mcp/edition.ts"
import { guidePage } from "../../../src/mcp/documents/guide.ts"
import { localPackage } from "../../../src/mcp/documents/localPackage.ts"

const ORIGIN = "https://press.example"

const parsed = (files: Readonly<Record<string, string>>, name: string) => JSON.parse(files[name] ?? "null")

const SITE = { siteName: "Pennypress" }

describe("the package of the local edition", () => {
  it("The package names its file, and no package, until it is published", () => {
    const files = localPackage(ORIGIN, "")
    assert.sameMembers(Object.keys(files), ["package.json", "README.md"])
    const manifest = parsed(files, "package.json")
    assert.isTrue(manifest.private)
    assert.notProperty(manifest, "publishConfig")
    assert.notProperty(manifest, "mcpName")
    for (const text of [files["README.md"] ?? "", guidePage(ORIGIN, SITE, "")]) {
      assert.include(
        text,
        "/path/to/pennypress/node_modules/.bin/node /path/to/pennypress/dist/svc-mcp/svc-mcp.js --origin "
      )
      assert.notInclude(text, "npx")
    }
    assert.include(guidePage(ORIGIN, SITE, ""), "npm run build:svc-mcp")
  })

  it("The package names itself and its version, once it is published", () => {
    const published = "@press/svc-mcp"
    const files = localPackage(ORIGIN, published)
    assert.sameMembers(Object.keys(files), ["package.json", "README.md", "server.json"])
    const manifest = parsed(files, "package.json")
    const entry = parsed(files, "server.json")
    assert.strictEqual(manifest.name, published)
    assert.notProperty(manifest, "private")
    assert.strictEqual(manifest.mcpName, entry.name)
    assert.strictEqual(entry.packages[0].identifier, published)
    assert.notProperty(localPackage(undefined, published), "server.json")
    for (const text of [files["README.md"] ?? "", guidePage(ORIGIN, SITE, published)]) {
      assert.include(text, `npx -y ${published}@${TOOL_SERVER_VERSION} --origin `)
      assert.notInclude(text, "/path/to")
    }
    assert.notInclude(guidePage(ORIGIN, SITE, published), "npm run build:svc-mcp")
  })
})
