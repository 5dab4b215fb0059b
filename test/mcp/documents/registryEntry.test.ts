import { assert, describe, it } from "@effect/vitest"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { registryEntry } from "../../../src/mcp/documents/registryEntry.ts"

const argument = {
  type: "object",
  required: ["type"],
  properties: { value: { type: "string" }, description: { type: "string" } },
  oneOf: [
    { required: ["value"], properties: { type: { const: "positional" } } },
    { required: ["name"], properties: { type: { const: "named" }, name: { pattern: "^--[a-z-]+$" } } }
  ]
}

const version = { type: "string", maxLength: 255, pattern: String.raw`^\d+\.\d+\.\d+$` }

/** The rules of the registry, in the revision of 2025-12-11, for the members that the entry has. */
const rules = {
  type: "object",
  additionalProperties: false,
  required: ["$schema", "name", "description", "version"],
  properties: {
    $schema: { const: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json" },
    name: { type: "string", minLength: 3, maxLength: 200, pattern: "^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$" },
    title: { type: "string", minLength: 1, maxLength: 100 },
    description: { type: "string", minLength: 1, maxLength: 100 },
    version,
    websiteUrl: { type: "string", format: "uri" },
    packages: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["registryType", "identifier", "version", "transport"],
        properties: {
          registryType: { const: "npm" },
          identifier: { type: "string", pattern: "^@[a-z-]+/[a-z-]+$" },
          version,
          runtimeHint: { const: "npx" },
          transport: {
            type: "object",
            additionalProperties: false,
            required: ["type"],
            properties: { type: { const: "stdio" } }
          },
          packageArguments: { type: "array", items: argument }
        }
      }
    },
    remotes: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["type", "url"],
        properties: { type: { const: "streamable-http" }, url: { type: "string", format: "uri" } }
      }
    }
  }
}

const PUBLISHED = "@press/svc-mcp"

const isValid = addFormats.default(new Ajv2020()).compile(rules)

describe("the entry of the registry", () => {
  it("The entry keeps the registry's rules, on every host", () => {
    for (const origin of ["https://www.press.example", "http://localhost:4020", "http://127.0.0.1:4020"]) {
      assert.isTrue(isValid(registryEntry(origin, PUBLISHED)), JSON.stringify(isValid.errors))
    }
    assert.isFalse(isValid({ ...registryEntry("https://press.example", PUBLISHED), version: "^0.2.1" }))
  })

  it("The entry names one version and one service, in the package and outside of it", () => {
    const { name, packages, remotes, version } = registryEntry("https://press.example", PUBLISHED)
    assert.strictEqual(name, "example.press/svc-mcp")
    assert.deepStrictEqual(
      packages.map((it) => [it.identifier, it.version]),
      [[PUBLISHED, version]]
    )
    assert.strictEqual(remotes[0]?.url, "https://press.example/mcp")
    assert.strictEqual(packages[0]?.packageArguments[0]?.value, "https://press.example")
  })
})
