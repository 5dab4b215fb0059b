import { createServer } from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { authorOf } from "../../support/actors/author.ts"
import { eventually } from "../../support/eventually.ts"
import { listening } from "../../support/listening.ts"
import { act, clean, signInAs, site, windowOf } from "./site.ts"

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

/** Starts a server that keeps what it gets, and answers with a status that may change. */
const receiver = Effect.gen(function* () {
  const received: Array<Received> = []
  const answer = { status: 500 }
  const port = yield* listening(
    createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk))
      request.on("end", () => {
        received.push({ headers: request.headers as Record<string, string>, body })
        response.writeHead(answer.status).end("noted")
      })
    })
  )
  return { answer, received, url: `http://127.0.0.1:${port}/hook` }
})

describe("webhooks in a real browser", () => {
  it.live("An author makes a webhook, its server breaks and is repaired, and what was missed arrives", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_webhooks")
      const author = yield* press.overWire(authorOf(1))
      for (const options of [
        { viewport: { width: 320, height: 640 }, colorScheme: "dark" as const },
        { javaScriptEnabled: false }
      ]) {
        const { answer, received, url } = yield* receiver
        const desk = yield* windowOf(press, options)
        const { page } = desk
        const check = (name: string) =>
          options.javaScriptEnabled === false ? Effect.void : clean(desk, name)
        // A form is sent, and the page after it is there, before the test goes on.
        const button = (name: string) =>
          act(() =>
            Promise.all([page.waitForEvent("load"), page.getByRole("button", { name, exact: true }).click()])
          )
        const shows = (text: string) =>
          eventually(
            text,
            act(() => page.reload()).pipe(
              Effect.andThen(act(() => page.innerText("main"))),
              Effect.map((main) => main.includes(text))
            )
          )

        yield* signInAs(page, 1)
        yield* act(() => page.goto("/desk/account"))
        yield* act(() => page.getByRole("link", { name: "Webhooks" }).click())
        yield* check("webhooks")
        yield* act(() => page.getByLabel("URL of your server").fill(url))
        yield* button("Create webhook")
        const secret = (yield* act(() => page.locator("code.copy").textContent())) ?? ""
        assert.match(secret, /^whsec_/)
        yield* check("a new webhook")
        yield* act(() => page.getByRole("link", { name: "Go to the webhook" }).click())
        yield* button("Send test")
        yield* shows("your server answered 500")
        yield* check("a webhook that fails")

        answer.status = 410
        yield* button("Send test")
        yield* shows("We turned it off")
        yield* press.overWire(author.published({ title: "Missed at first" }))
        answer.status = 204
        yield* button("Turn on again and send what was missed")
        yield* shows("It works.")
        yield* check("a webhook that works")
        yield* eventually(
          "the missed event",
          Effect.sync(() => received.some(({ body }) => body.includes("Missed at first")))
        )
        const verifier = new Webhook(secret)
        for (const { body, headers } of received) assert.doesNotThrow(() => verifier.verify(body, headers))
        yield* act(() => page.getByText("Delete", { exact: true }).click())
        yield* button("Delete webhook")
        yield* act(() => page.getByText("The webhook is deleted.").waitFor())
      }
    })
  )
})
