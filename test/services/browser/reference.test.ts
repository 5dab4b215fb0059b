import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { started } from "../../wire/server.ts"
import { browser } from "./browser.ts"
import { act, pathOf, windowOf } from "./site.ts"

describe("the reference of the API in a real browser", () => {
  it.live("The reference shows every group, leads home, and is readable without a script", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_services_reference")
      const opened = yield* browser
      for (const viewport of [
        { width: 1280, height: 800 },
        { width: 320, height: 640 }
      ]) {
        const { errors, page } = yield* windowOf({ opened, origin }, { viewport })
        const loaded: Array<string> = []
        page.on("request", (request) => loaded.push(request.url()))
        yield* act(() => page.goto("/docs"))
        yield* act(() => page.getByRole("heading", { name: "Sessions" }).first().waitFor())
        const text = yield* act(() => page.innerText("body"))
        assert.notMatch(text, /Developer Tools|Open API Client/)
        assert.deepStrictEqual(errors, [])
        assert.deepStrictEqual(
          loaded.filter((url) => !url.startsWith(origin) && !/^(data|blob):/.test(url)),
          []
        )
        const beyond = yield* act(() =>
          page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
        )
        assert.isAtMost(beyond, 0)
        yield* act(() => page.getByRole("link", { name: "Pennypress" }).first().click())
        yield* act(() => page.waitForURL(`${origin}/`))
      }

      const { page } = yield* windowOf({ opened, origin }, { javaScriptEnabled: false })
      for (const path of ["/openapi.json", "/llms.txt"]) {
        yield* act(() => page.goto("/docs"))
        assert.include(yield* act(() => page.innerText("main")), "README.md")
        yield* act(() => page.getByRole("main").getByRole("link", { name: path }).click())
        assert.strictEqual(pathOf(page), path)
      }
    })
  )
})
