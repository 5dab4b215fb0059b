import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { started } from "../../wire/server.ts"
import { APPEARANCES, browser } from "./browser.ts"
import { act, clean, pathOf, windowOf } from "./site.ts"

/** Returns how far the parts of a page have moved since it was opened. */
const SHIFT = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => { for (const { value } of list.getEntries()) sum += value })
    .observe({ type: "layout-shift", buffered: true })
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum), 0)))
})`

describe("the reference of the API in a real browser", () => {
  it.live("The reference is accessible, keeps its layout, and loads nothing from another host", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_services_reference")
      const opened = yield* browser
      for (const { colorScheme, width } of APPEARANCES) {
        const tab = yield* windowOf({ opened, origin }, { colorScheme, viewport: { width, height: 800 } })
        const { page } = tab
        const loaded: Array<string> = []
        page.on("request", (request) => loaded.push(request.url()))
        for (const path of ["/docs", "/docs/own-posts", "/docs/finance"]) {
          yield* act(() => page.goto(path))
          assert.strictEqual(yield* act(() => page.evaluate<number>(SHIFT)), 0, path)
          for (const summary of yield* act(() => page.locator("summary").all()))
            yield* act(() => summary.click())
          yield* clean(tab, `${path} ${colorScheme} ${width}`)
        }
        assert.deepStrictEqual(
          loaded.filter((url) => !url.startsWith(origin)),
          []
        )
      }
    })
  )

  it.live("A reader without scripts goes from the list to an operation, its answer and its errors", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_services_reference_plain")
      const { page } = yield* windowOf({ opened: yield* browser, origin }, { javaScriptEnabled: false })
      const main = page.getByRole("main")
      yield* act(() => page.goto("/docs"))
      yield* act(() => main.getByRole("link", { name: "Create a draft", exact: true }).click())
      assert.strictEqual(pathOf(page), "/docs/own-posts#postsCreate")
      const part = main.locator("section", { has: page.locator("#postsCreate") })
      const member = part.locator("details li", { hasText: "updatedAt" }).first()
      assert.isFalse(yield* act(() => member.isVisible()))
      yield* act(() => part.getByText("Members of the answer").first().click())
      assert.isTrue(yield* act(() => member.isVisible()))
      yield* act(() => part.getByRole("link", { name: "validation", exact: true }).click())
      yield* act(() => page.locator("#error-validation").getByRole("link").click())
      assert.strictEqual(pathOf(page), "/problems/validation")
      for (const path of ["/openapi.json", "/llms.txt"]) {
        yield* act(() => page.goto("/docs"))
        yield* act(() => main.getByRole("link", { name: path }).click())
        assert.strictEqual(pathOf(page), path)
      }
    })
  )
})
