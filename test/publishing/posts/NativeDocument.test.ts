import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  NATIVE_DEPTH_MAX,
  NATIVE_NODES_MAX,
  NativeDocument,
  type NativeNode
} from "../../../schemas/publishing/posts/NativeDocument.ts"
import { doc, p, t } from "../content/native/nodes.ts"

const isDocument = Schema.is(NativeDocument)

describe("a native document", () => {
  const nested = (depth: number) => {
    let node: NativeNode = p(t("a"))
    for (let n = 3; n < depth; n++) node = { type: "blockquote", content: [node] }
    return doc(node)
  }

  it("A document is bounded in depth", () => {
    assert.isTrue(isDocument(nested(NATIVE_DEPTH_MAX - 1)))
    assert.isFalse(isDocument(nested(NATIVE_DEPTH_MAX + 1)))
  })

  it("A document is bounded in nodes", () => {
    const of = (nodes: number) => ({
      type: "doc",
      content: Array.from({ length: nodes - 1 }, () => ({ type: "x" }))
    })
    assert.isTrue(isDocument(of(NATIVE_NODES_MAX)))
    assert.isFalse(isDocument(of(NATIVE_NODES_MAX + 1)))
  })

  it("A document is bounded in the depth of attributes", () => {
    const of = (depth: number) => {
      let value: unknown = 1
      for (let n = 0; n < depth; n++) value = [value]
      return doc({ type: "x", attrs: { value } } as NativeNode)
    }
    assert.isTrue(isDocument(of(15)))
    assert.isFalse(isDocument(of(16)))
  })

  const wrong: ReadonlyArray<unknown> = [
    null,
    [],
    "doc",
    { type: "doc" },
    { type: "doc", content: {} },
    { type: "doc", content: [null] },
    { type: "doc", content: [{ type: "" }] },
    { type: "doc", content: [{ type: "a b" }] },
    { type: "doc", content: [{ type: "x".repeat(65) }] },
    { type: "doc", content: [{ type: "text" }] },
    { type: "doc", content: [{ type: "x", text: "a" }] },
    { type: "doc", content: [{ type: "x", other: 1 }] },
    { type: "doc", content: [{ type: "x", attrs: [] }] },
    { type: "doc", content: [{ type: "x", attrs: { a: Number.NaN } }] },
    { type: "doc", content: [{ type: "x", attrs: { a: "\0" } }] },
    { type: "doc", content: [{ type: "x", marks: {} }] },
    { type: "doc", content: [{ type: "x", marks: [{ type: "a", content: [] }] }] },
    { type: "doc", content: [{ type: "text", text: "\ud800" }] }
  ]
  for (const document of wrong) {
    it(`A document is never ${JSON.stringify(document)}`, () => assert.isFalse(isDocument(document)))
  }
})
