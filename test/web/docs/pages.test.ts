import { assert, describe, it } from "@effect/vitest"
import type { Document } from "../../../schemas/platform/openapiTags.ts"
import { curlText } from "../../../src/web/docs/curlText.ts"
import { indexPage } from "../../../src/web/docs/indexPage.ts"
import { resolving } from "../../../src/web/docs/operationParts.ts"
import { schemaList, typeText } from "../../../src/web/docs/schemaList.ts"
import { tagPage } from "../../../src/web/docs/tagPage.ts"
import { validated } from "../pages/documents.ts"

const HOSTILE = `<script>alert(1)</script> "><img src=x onerror='alert(1)'> \`</code><b>\` & \``

const schemas = {
  Node: {
    type: "object",
    description: HOSTILE,
    properties: {
      next: { $ref: "#/components/schemas/Node" },
      all: { type: "array", items: { anyOf: [{ $ref: "#/components/schemas/Node" }, { type: "null" }] } },
      name: { type: "string", description: HOSTILE, pattern: "^<b>$" },
      [HOSTILE]: { enum: [HOSTILE] }
    },
    required: ["next"]
  },
  Loop: { $ref: "#/components/schemas/Loop" },
  List: { type: "array", items: { $ref: "#/components/schemas/List" } },
  Missing: { $ref: "#/components/schemas/None" }
}

const operation = {
  tags: ["Nodes"],
  operationId: "nodesWrite",
  summary: HOSTILE,
  description: HOSTILE,
  parameters: [
    {
      name: "id",
      in: "path",
      required: true,
      description: HOSTILE,
      schema: { type: "string" },
      example: "a'b/c"
    },
    { name: "q", in: "query", schema: { type: "integer", minimum: 1, maximum: 9, default: 3 }, example: 5 },
    { name: "X-Note", in: "header", schema: { type: "string", maxLength: 4 }, example: "it's" },
    { name: "X-Unsent", in: "header", schema: { type: "string" } }
  ],
  security: [{ key: [] }],
  requestBody: {
    required: true,
    content: {
      "application/json": { schema: { $ref: "#/components/schemas/Node" }, example: { name: HOSTILE } }
    }
  },
  responses: {
    "200": {
      description: HOSTILE,
      content: { "application/json": { schema: { $ref: "#/components/schemas/Node" }, example: [HOSTILE] } }
    }
  }
}

const tag = { name: "Nodes", description: HOSTILE }

const document: Document = {
  info: { title: HOSTILE },
  tags: [tag],
  paths: { "/nodes/{id}": { put: operation } },
  components: { schemas, securitySchemes: { key: { description: HOSTILE } }, headers: {} }
}

const resolve = resolving(document)

/** Returns the text of HTML, without white space that its template has. */
const textOf = (shown: unknown) =>
  String(shown)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()

describe("the pages of a document", () => {
  it("Text of a document is text on its pages", () => {
    for (const { main } of [
      tagPage(document, tag, "https://press.test"),
      indexPage(document, "https://press.test")
    ]) {
      const page = `<!doctype html><html lang="en"><head><title>T</title></head><body>${main}</body></html>`
      const tree = validated(page)
      assert.notInclude(
        tree.map(({ tag }) => tag),
        "script"
      )
      for (const found of ["img", "b"])
        assert.isUndefined(
          tree.find(({ tag }) => tag === found),
          found
        )
      assert.isTrue(tree.some(({ text }) => text.includes('<script>alert(1)</script> "><img src=x')))
      // Text between backticks is code, and a backtick without its pair is a letter.
      assert.isTrue(tree.some(({ tag, text }) => tag === "code" && text === "</code><b>"))
      assert.isTrue(tree.some(({ text }) => text.trim().endsWith("& `")))
    }
  })

  it("A schema that holds itself is shown once on its way", () => {
    const list = String(schemaList({ $ref: "#/components/schemas/Node" }, resolve))
    assert.strictEqual(list.match(/<code>next<\/code>/g)?.length, 1)
    assert.include(textOf(list), "next Node, required")
    assert.include(textOf(list), "all (Node | null)[], optional")
    for (const name of ["Loop", "List", "Missing"]) {
      const schema = { $ref: `#/components/schemas/${name}` }
      assert.isFalse(schemaList(schema, resolve), name)
      assert.isAbove(typeText(schema, resolve).length, 0, name)
    }
  })

  it("Members are listed with their bounds, below the object or the alternative that has them", () => {
    const list = schemaList(
      {
        anyOf: [
          { type: "object", properties: { a: { type: "array", maxItems: 2, items: { type: "integer" } } } },
          {
            type: "object",
            properties: { b: { type: "object", properties: { c: { type: "string", pattern: "^x+$" } } } },
            required: ["b"]
          }
        ]
      },
      resolve
    )
    assert.strictEqual(
      textOf(list),
      "Either: a integer[] (at most 2 elements), optional Or: b object, required c string, optional It matches ^x+$"
    )
    assert.isFalse(schemaList({ type: "object", properties: {} }, resolve))
  })

  it("The example of a request is a command whose quotes nothing can end", () => {
    const placed = { path: "/nodes/{id}", method: "put", operation }
    const [first, ...words] = curlText(placed, { baseUrl: "https://press.test", resolve }).split(" \\\n  ")
    assert.strictEqual(first, `curl -X PUT 'https://press.test/nodes/a'\\''b%2Fc?q=5'`)
    assert.deepStrictEqual(words.slice(0, 3), [
      '-H "Authorization: Bearer $TOKEN"',
      `-H 'X-Note: it'\\''s'`,
      "-H 'Content-Type: application/json'"
    ])
    assert.include(words[3], `onerror='\\''alert(1)'\\''>`)
    assert.strictEqual(words.length, 4)
  })
})
