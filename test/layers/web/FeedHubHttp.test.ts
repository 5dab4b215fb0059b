import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as FeedHubHttp from "../../../layers/web/FeedHubHttp.ts"
import { FeedHub } from "../../../src/platform/ports/FeedHub.ts"
import { listening } from "../../support/listening.ts"

const FEED = "https://press.test/@ada/atom.xml?a=1&b=2"

/** A hub that answers with these statuses in turn; 0 says nothing. Returns its address and the bodies that it got. */
const hubOf = Effect.fnUntraced(function* (...statuses: ReadonlyArray<number>) {
  const bodies: Array<{ readonly method: string | undefined; readonly type: string; readonly body: string }> =
    []
  const left = [...statuses]
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      bodies.push({ method: request.method, type: request.headers["content-type"] ?? "", body })
      const status = left.shift() ?? 204
      if (status !== 0) response.writeHead(status, { location: "http://127.0.0.1:1/" }).end()
    })
  })
  const port = yield* listening(server)
  return { url: `http://127.0.0.1:${port}/publish?a=b`, bodies }
})

const hubAt = (url: string) =>
  Effect.map(Layer.build(FeedHubHttp.layer(url)), (context) => Context.get(context, FeedHub))

describe("a hub over HTTP", () => {
  it.live("A hub gets the address of the feed as a form", () =>
    Effect.gen(function* () {
      const { bodies, url } = yield* hubOf(204, 200)
      const hub = yield* hubAt(url)
      assert.strictEqual(hub.url, url)
      yield* hub.ping(FEED)
      yield* hub.ping(FEED)
      assert.lengthOf(bodies, 2)
      assert.deepInclude(bodies[0], { method: "POST", type: "application/x-www-form-urlencoded" })
      assert.deepStrictEqual(
        [...new URLSearchParams(bodies[0]?.body)],
        [
          ["hub.mode", "publish"],
          ["hub.url", FEED],
          ["hub.topic", FEED]
        ]
      )
    })
  )

  it.live("A failure says whether the ping may be tried again", () =>
    Effect.gen(function* () {
      const { url } = yield* hubOf(500, 503, 429, 408, 400, 404, 302)
      const hub = yield* hubAt(url)
      const outcomes: Array<string> = []
      for (let n = 0; n < 7; n++) {
        const error = yield* Effect.flip(hub.ping(FEED))
        outcomes.push(error._tag === "HubRefused" ? String(error.status) : error.reason)
      }
      assert.deepStrictEqual(outcomes, ["deferred", "deferred", "deferred", "deferred", "400", "404", "302"])
    })
  )

  it.live("A hub that is missing or hangs up is unreachable", () =>
    Effect.gen(function* () {
      const gone = yield* hubAt("http://127.0.0.1:1/")
      assert.deepInclude(yield* Effect.flip(gone.ping(FEED)), { reason: "unreachable" })
    })
  )

  it.effect("A silent hub is waited for ten seconds", () =>
    Effect.gen(function* () {
      const { url } = yield* hubOf(0)
      const hub = yield* hubAt(url)
      const failed = yield* Effect.forkChild(Effect.flip(hub.ping(FEED)))
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(yield* Fiber.join(failed), { reason: "timeout" })
    })
  )
})
