import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import type { Page } from "playwright-core"
import { makeAdminClient } from "../../../src/client/AdminClient.ts"
import { ADMIN_TOKEN } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { eventually } from "../../support/eventually.ts"
import { act, clean, receivedMail, signInAs, site, windowOf } from "./site.ts"

/** A phone in the colours of the night, and a browser that runs no script. */
const WINDOWS = [
  { name: "with a script", options: { viewport: { width: 375, height: 667 }, colorScheme: "dark" } },
  { name: "without a script", options: { javaScriptEnabled: false } }
] as const

const press = (page: Page, name: string) =>
  act(() => page.getByRole("button", { name, exact: true }).first().click())
const follow = (page: Page, name: string) =>
  act(() => page.getByRole("link", { name, exact: true }).first().click())
const heading = (page: Page, name: string) => act(() => page.getByRole("heading", { name }).waitFor())

/** Opens a mail in place of a page, whose policy ends with it. */
const openMail = (page: Page, html: string) =>
  act(async () => {
    await page.goto("about:blank")
    await page.setContent(html)
  })

/** The addresses of a list that is longer than an author may ask in a day. */
const list = (count: number) =>
  Array.from({ length: count }, (_, at) => `reader-${at}@example.org`).join("\n")

describe("readers by mail in a real browser", () => {
  it.live("A reader subscribes without an account, reads a post in the mail, and ends it there", () =>
    Effect.gen(function* () {
      const service = yield* site("test_services_readers")
      const author = yield* service.overWire(authorOf(1))
      for (const [at, { name, options }] of WINDOWS.entries()) {
        const email = `ada-${at}@example.org`
        const reading = yield* windowOf(service, options)
        const { page } = reading
        const check = (where: string) => ("colorScheme" in options ? clean(reading, where) : Effect.void)
        yield* act(() => page.goto(`/@${author.handle}`))
        yield* act(() => page.getByLabel("Email me new posts").fill(email))
        yield* press(page, "Email me new posts")
        yield* heading(page, "Check your inbox")

        const asking = yield* receivedMail(service, email, /Confirm that this address is yours/)
        yield* openMail(page, asking.html)
        yield* follow(page, "Confirm")
        yield* heading(page, "Get new posts from")
        yield* check("a request")
        yield* press(page, "Confirm")
        yield* heading(page, "You're subscribed")

        const writing = yield* windowOf(service, options)
        const { id } = yield* service.overWire(
          author.draft({ title: `On pennies ${name}`, freeContentMarkdown: `Read ${name}.` })
        )
        yield* signInAs(writing.page, 1, `/write/${id}/publish`)
        yield* act(() => writing.page.getByText("1 reader gets the post by email").waitFor())
        yield* press(writing.page, "Publish, free for everyone")
        yield* act(() => writing.page.getByText(/^The email to 1 reader leaves in [45] minutes\./).waitFor())
        if ("colorScheme" in options) yield* clean(writing, "published")
        yield* press(writing.page, "Send it now")

        const mail = yield* receivedMail(service, email, new RegExp(`Read ${name}`))
        yield* openMail(page, mail.html)
        yield* follow(page, `On pennies ${name}`)
        yield* heading(page, `On pennies ${name}`)
        yield* openMail(page, mail.html)
        if ("colorScheme" in options) {
          yield* follow(page, "Unsubscribe")
          yield* heading(page, "Unsubscribe from")
          yield* check("the question")
          yield* press(page, "Unsubscribe")
        } else {
          // The button of a mail program sends this by itself, and the reader follows the link later.
          const [, end = ""] = /^List-Unsubscribe:\s+<([^>]+)>/m.exec(mail.head) ?? []
          const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" })
          assert.strictEqual((yield* act(() => fetch(end, { method: "POST", body }))).status, 200)
          yield* follow(page, "Unsubscribe")
        }
        yield* heading(page, "You're unsubscribed")
        yield* act(() => writing.page.goto("/desk/readers"))
        yield* act(() => writing.page.getByText("0 readers get your posts by email.").waitFor())
      }
    })
  )

  it.live("An author brings a list of readers, finds one, removes one, and takes the list along", () =>
    Effect.gen(function* () {
      const service = yield* site("test_services_readers_room", { ADMIN_TOKEN, NEW_ACCOUNTS: "list" })
      for (const [at, { options }] of WINDOWS.entries()) {
        const number = at + 1
        const author = yield* service.overWire(authorOf(number))
        const tab = yield* windowOf(service, options)
        const { page } = tab
        const check = (where: string) => ("colorScheme" in options ? clean(tab, where) : Effect.void)
        yield* signInAs(page, number, "/desk/readers")
        yield* act(() => page.getByText("Readers find the form on your page").waitFor())
        yield* check("no readers")
        yield* follow(page, "Bring readers")
        yield* act(() => page.getByLabel("Where do your readers come from?").fill("Substack"))
        yield* act(() =>
          page
            .getByLabel("When and how did they agree to get your posts?")
            .fill("They signed up on my old page and confirmed it.")
        )
        yield* act(() => page.getByLabel("Everyone on this list agreed").check())
        yield* act(() => page.getByLabel("Paste your list").fill(`${list(501)}\nnothing`))
        yield* check("the form of a list")
        yield* press(page, "Bring readers")
        yield* act(() => page.getByText("501 readers added.").waitFor())
        yield* act(() => page.getByText("Line 502: not an email address").waitFor())
        yield* check("a list")
        yield* follow(page, "See your readers")
        yield* act(() => page.getByText("501 more haven't confirmed yet.").waitFor())

        const admin = yield* makeAdminClient({
          baseUrl: service.origin,
          token: Redacted.make(ADMIN_TOKEN)
        })
        yield* eventually(
          "the last reader waits",
          Effect.map(admin["readers.list"]({}), ({ imports }) => imports[0]?.waiting === 1)
        )
        const [waiting] = (yield* admin["readers.list"]({})).imports
        assert.deepInclude(waiting, { handle: author.handle, source: "Substack" })
        yield* admin["readers.approve"]({
          importId: waiting!.importId,
          actor: "Mo",
          reason: "Looked at the old list"
        })
        yield* act(() => page.reload())
        yield* act(() => page.getByText("501 readers get your posts by email.").waitFor())

        yield* act(() => page.getByLabel("Find a reader by address").fill("Reader-7@example.org"))
        yield* press(page, "Find")
        yield* act(() => page.getByText("reader-7@example.org").first().waitFor())
        yield* press(page, "Remove reader-7@example.org")
        yield* act(() => page.getByText("Removed. This reader gets no more posts from you.").waitFor())
        yield* act(() => page.getByText("500 readers get your posts by email.").waitFor())
        yield* check("a reader is removed")
        const table = yield* act(async () => {
          const [download] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("link", { name: "Download (CSV)" }).click()
          ])
          let text = ""
          for await (const bytes of await download.createReadStream()) text += bytes
          return text
        })
        assert.match(table, /^"?email"?,/)
        assert.include(table, "reader-8@example.org,active,import")
        assert.include(table, "reader-7@example.org,ended,import")
      }
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
