import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commenterOf } from "../../support/actors/commenter.ts"
import { act, clean, mailedCode, signInHere, site, tabBeside, windowOf } from "./site.ts"

describe("what was pressed before a sign-in, in a real browser", () => {
  for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? "with a script" : "without one"

    it.live(`A reaction and a follow are saved after the sign-in with a wallet, ${how}`, () =>
      Effect.gen(function* () {
        const press = yield* site(`test_services_intents_wallet_${String(javaScriptEnabled)}`)
        yield* press.overWire(commenterOf(2))
        const tab = yield* windowOf(press, { javaScriptEnabled, viewport: { width: 320, height: 700 } })
        const { page } = tab
        const check = (name: string) => (javaScriptEnabled ? clean(tab, name) : Effect.void)
        yield* act(() => page.goto(press.free.path))
        yield* act(() => page.getByRole("button", { name: "Heart" }).click())
        yield* act(() => page.getByText("Sign in, and we'll save your reaction.").waitFor())
        yield* check("the sign-in of a reaction")
        yield* signInHere(page, 2)
        yield* act(() => page.getByText("Saved.").waitFor())
        const heart = page.getByRole("button", { name: "Heart" })
        assert.strictEqual(yield* act(() => heart.getAttribute("aria-pressed")), "true")

        yield* act(() => page.context().clearCookies())
        yield* act(() => page.goto(`/@${press.author.handle}`))
        yield* act(() => page.getByRole("button", { name: "Follow" }).click())
        yield* act(() => page.getByText("Sign in, and you'll follow this author.").waitFor())
        yield* signInHere(page, 2)
        yield* act(() => page.getByText("New posts appear on").waitFor())
      })
    )

    it.live(`A comment whose session ended waits for a new account and its name, ${how}`, () =>
      Effect.gen(function* () {
        const press = yield* site(`test_services_intents_mail_${String(javaScriptEnabled)}`)
        yield* press.overWire(commenterOf(2))
        const tab = yield* windowOf(press, { javaScriptEnabled })
        const { page } = tab
        const told: Array<string> = []
        page.on("request", (request) =>
          told.push(request.url(), request.headers()["referer"] ?? "", request.headers()["cookie"] ?? "")
        )
        const check = (name: string) => (javaScriptEnabled ? clean(tab, name) : Effect.void)
        const text = "Leuchtturm & <b>Wärter</b>"
        const email = "nele@example.org"
        yield* act(() => page.goto(`/sign-in?back=/respond/${press.free.id}`))
        yield* signInHere(page, 2)
        yield* act(() => page.getByLabel("Your comment").fill(text))
        yield* act(() => page.context().clearCookies())
        yield* act(() => page.getByRole("button", { name: "Post comment" }).click())
        assert.strictEqual(yield* act(() => page.getByLabel("What you wrote").inputValue()), text)
        const kept = (yield* act(() => page.locator('[name="kept"]').first().getAttribute("value"))) ?? ""
        yield* check("the sign-in of a comment")
        yield* act(() => page.getByLabel("Your email address").fill(email))
        yield* act(() => page.getByRole("button", { name: "Continue" }).click())
        yield* check("the code of a comment")
        const code = yield* mailedCode(press, email)
        yield* act(() => page.getByLabel("Code").fill(code))
        yield* act(() => page.getByRole("button", { name: "Continue" }).click())
        yield* act(() => page.getByText("Then we'll post your comment.").waitFor())
        yield* check("the name of a comment")
        yield* act(() => page.getByLabel("Name", { exact: true }).fill("Nele"))
        yield* act(() => page.getByLabel("Handle").fill("nele_reads"))
        yield* act(() => page.getByRole("button", { name: "Save" }).click())
        yield* act(() => page.getByText("Your comment is public.").waitFor())
        yield* act(() => page.getByRole("link", { name: "See it in the discussion" }).click())
        assert.include(yield* act(() => page.innerText("main")), text)
        assert.isAbove(kept.length, 100)
        for (const address of told) {
          assert.notInclude(address, "Leucht")
          assert.notInclude(address, kept.slice(0, 30))
        }
        const log = JSON.stringify(press.logs)
        assert.include(log, "/respond/:postId")
        assert.notInclude(log, "Leucht")
        assert.notInclude(log, kept.slice(0, 30))
      })
    )
  }

  it.live("Two tabs that sign in for one comment post it once", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_intents_tabs")
      yield* press.overWire(commenterOf(2))
      const first = yield* windowOf(press)
      yield* act(() => first.page.goto(`/sign-in?back=/respond/${press.free.id}`))
      yield* signInHere(first.page, 2)
      yield* act(() => first.page.getByLabel("Your comment").fill("Once only"))
      const second = yield* tabBeside(first)
      yield* act(() => second.page.goto(`/respond/${press.free.id}`))
      yield* act(() => second.page.getByLabel("Your comment").fill("In the other tab"))
      yield* act(() => first.page.context().clearCookies())
      for (const { page } of [first, second])
        yield* act(() => page.getByRole("button", { name: "Post comment" }).click())
      for (const { page } of [first, second]) {
        yield* signInHere(page, 2)
        yield* act(() => page.getByText("Your comment is public.").waitFor())
      }
      const { body } = yield* press.client.send("GET", `/api/posts/${press.free.id}/comments`)
      assert.sameMembers(
        body.map(({ content }: { content: string }) => content),
        ["Once only", "In the other tab"]
      )
    })
  )
})
