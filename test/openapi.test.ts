import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { Api } from "../schemas/Api.ts"
import { problems } from "../schemas/errors/problems.ts"

const generated = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))

describe("the OpenAPI document", () => {
  it("is the one that is checked in; `npm run openapi` writes it anew", () => {
    assert.deepStrictEqual(JSON.parse(readFileSync("schemas/openapi.json", "utf8")), generated)
  })

  it("is OpenAPI 3.1 and carries version 1.0.0", () => {
    assert.match(generated.openapi, /^3\.1\./)
    assert.strictEqual(generated.info.version, "1.0.0")
  })

  it("names operations in a way that every tool can read", () => {
    const ids = Object.values<any>(generated.paths).flatMap((path) =>
      Object.values<any>(path).map((it) => it.operationId)
    )
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/)
  })

  it("lets a body without members be left out, and no other", () => {
    const bodies = Object.values<any>(generated.paths)
      .flatMap((path) => Object.values<any>(path))
      .filter((it) => it.requestBody !== undefined)
    const optional = bodies.filter((it) => !it.requestBody.required).map((it) => it.operationId)
    assert.deepStrictEqual(optional.toSorted(), ["postsPublish", "postsUnpublish"])
  })

  it("describes every problem in the words of its page", () => {
    const text = JSON.stringify(generated)
    const pageless = new Set(["not-found", "method-not-allowed", "content-not-editable"])
    const missing = Object.entries(problems).filter(
      ([slug, { meaning }]) => !pageless.has(slug) && !text.includes(JSON.stringify(meaning).slice(1, -1))
    )
    assert.deepStrictEqual(missing, [])
  })
})
