import { assert, describe, it } from "@effect/vitest"
import { HttpApi } from "effect/http-api"
import { afterEach, vi } from "vitest"
import { Api } from "../../../schemas/Api.ts"
import { nearestPathAmong } from "../../../src/platform/http/nearestPath.ts"

/** The paths of the contract. */
const candidates = () => {
  const paths = new Map<string, Set<string>>()
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      paths.set(path, (paths.get(path) ?? new Set()).add(method))
    }
  })
  return [...paths].map(([template, methods]) => ({ template, methods }))
}

const nearest = nearestPathAmong(candidates())

/** Returns a path of ten segments that begin with a text. They differ, so that no comparison serves two. */
const different = (text: string) =>
  Array.from({ length: 10 }, (_, n) => `/${text}${String.fromCharCode(107 + n).repeat(3)}`).join("")

describe("the path that a mistyped one probably means", () => {
  afterEach(() => vi.restoreAllMocks())

  it.each([
    ["GET", "/api/v1/post", "/api/v1/posts"],
    ["POST", "/posts", "/api/v1/posts"],
    ["GET", "/api/v2/posts", "/api/v1/posts"],
    ["GET", "/API/Categories", "/api/categories"],
    ["POST", "/api/v1/login", "/api/v1/auth/login"],
    ["POST", "/api/posts/3f2b8c1e-7d65-4a90-9b1f-2c4d6e8f0a12/publish", "/api/v1/posts/:postId/publish"],
    ["GET", "/wp-login.php", undefined],
    ["GET", `/${"a".repeat(39)}/b`, undefined]
  ])("The path %s %s is taken for %s", (method, path, template) => {
    assert.strictEqual(nearest(method, path)?.template, template)
  })

  it.each([
    ["ten long words", different("abcdefghij".repeat(3))],
    ["ten words", different("abcdefghij")],
    ["the words of an operation with other letters", `/api/v1${different("nopqrstuv").slice(0, 40)}`]
  ])("A hostile path of %s costs few comparisons", (_, path) => {
    const min = vi.spyOn(Math, "min")
    assert.isUndefined(nearest("GET", path))
    assert.isBelow(min.mock.calls.length, 20_000)
  })
})
