import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commenterOf } from "../../support/actors/commenter.ts"
import { APPEARANCES } from "./browser.ts"
import { act, clean, mailedText, signInAs, site, type Site, windowOf } from "./site.ts"

const EMAIL = "ada@example.org"

/** Returns the path of a link in a mail. */
const pathIn = (mail: string, link: RegExp, { origin }: Site) => {
  const [url = ""] = link.exec(mail) ?? assert.fail(mail)
  return url.replace(origin, "")
}

/** Opens the pages that mails of an author lead to: the confirmation of an address, and the end of a kind of mails. */
const mailPages = Effect.fnUntraced(function* (press: Site) {
  const { author, client, overWire } = press
  const token = author.accessToken
  const send = (method: string, path: string, body: object) =>
    Effect.map(client.send(method, `/api/v1${path}`, { token, body }), (answer) =>
      assert.isBelow(answer.status, 300, answer.text)
    )
  yield* send("POST", "/account/email", { email: EMAIL })
  const asked = yield* mailedText(press, EMAIL, /verify\?/)
  const confirm = pathIn(asked, /http\S+\/auth\/v1\/verify\S+/, press)
  const code = /^\s*(\d{6})\s*$/m.exec(asked)?.[1]
  yield* send("POST", "/account/email/verify", { code })
  yield* send("PUT", "/notification-preferences", { notify_new_follow: true })
  const follower = yield* overWire(commenterOf(2))
  const { body } = yield* client.send("GET", `/api/posts/${press.free.id}`)
  const followed = yield* client.send("PUT", `/api/v1/follows/${body.author.id}`, {
    token: follower.accessToken,
    body: { following: true }
  })
  assert.isBelow(followed.status, 300, followed.text)
  const news = yield* mailedText(press, EMAIL, /unsubscribe\?/)
  return { confirm, unsubscribe: pathIn(news, /http\S+\/unsubscribe\?token=[\w-]+/, press) }
})

describe("pages of one reader in a real browser", () => {
  it.live("The analyzer axe finds nothing on pages of one reader, light and dark, wide and narrow", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_looks_private")
      const { author, free, overWire, sold, sql } = press
      const comment = yield* overWire(author.say(free.id, "Said\nin two lines"))
      const { confirm, unsubscribe } = yield* mailPages(press)
      const strangers = [
        "/sign-in",
        `/@${author.handle}?q=pennies`,
        "/gift",
        `/tip?post=${free.id}`,
        `/tip?handle=${author.handle}`,
        `/report?post=${free.id}`,
        `/report?comment=${comment.id}`,
        `/report?handle=${author.handle}`,
        "/report?done",
        `/read/${sold.id}`,
        confirm,
        "/auth/v1/verify?token=none",
        "/unsubscribe?token=none",
        unsubscribe
      ]
      const readers = [
        "/profile",
        `/follow?handle=${author.handle}`,
        "/sign-out",
        "/desk/comments",
        "/desk/notifications?all",
        "/desk/notifications/settings",
        `/respond/${free.id}`,
        `/respond/${free.id}?to=${comment.id}`
      ]
      const authors = [
        "/give",
        `/give/${sold.id}`,
        `/write/${sold.id}/publish`,
        `/write/${sold.id}/publish?done=publish`,
        "/desk",
        "/desk/posts",
        "/desk/sales",
        "/desk/posts?sort=income",
        "/desk/account/delete",
        "/desk/import",
        "/moderate/accounts"
      ]
      yield* sql`insert into moderators (owner_id, added_at) select id, now() from owners where handle = ${author.handle}`
      for (const { colorScheme, width } of APPEARANCES) {
        const tab = yield* windowOf(press, { colorScheme, viewport: { width, height: 800 } })
        const { page } = tab
        const check = (name: string) => clean(tab, `${name} ${colorScheme} ${width}`)
        for (const path of strangers) {
          yield* act(() => page.goto(path))
          tab.errors.splice(0)
          yield* check(path)
        }
        yield* act(() => page.getByRole("button", { name: "Unsubscribe" }).click())
        yield* act(() => page.getByRole("heading", { name: "You're unsubscribed" }).waitFor())
        yield* check("unsubscribed")
        yield* act(() => page.goto(sold.path))
        yield* act(() => page.getByRole("button", { name: /^Unlock this post/ }).click())
        yield* act(() => page.getByText("Waiting for your payment. This page continues").waitFor())
        yield* check("checkout")
        yield* act(() => page.getByRole("button", { name: "Pay with test money" }).click())
        yield* act(() => page.waitForURL(`**/read/${sold.id}#rest`))
        yield* check("read")
        for (const [number, paths] of [
          [2, readers],
          [1, authors]
        ] as const) {
          yield* signInAs(page, number)
          for (const path of paths) {
            yield* act(() => page.goto(path))
            for (const summary of yield* act(() => page.locator("summary").all()))
              yield* act(() => summary.click())
            yield* check(path)
          }
        }
        yield* act(() => page.context().close())
      }
    })
  )
})

/** Spaces a text as readers may (WCAG 1.4.12). */
const SPACED = `for (const { style } of document.querySelectorAll("main, main *")) {
  style.lineHeight = "1.5"; style.letterSpacing = "0.12em"; style.wordSpacing = "0.16em"
}
for (const { style } of document.querySelectorAll("main p")) style.marginBlockEnd = "2em"`

/** Returns what one taps and is lower than a fingertip, with its height. */
const SMALL = `[...document.querySelectorAll(
  "button, summary, .button, .chips a, .pager a, .more a, .files a, .act > a, nav a, select, textarea, input:not([type=hidden])"
)].filter((it) => it.checkVisibility()).flatMap((it) => {
  const { height } = it.getBoundingClientRect()
  return height < 44 ? [it.outerHTML.slice(0, 80) + " " + height] : []
})`

/** Returns the place of the focus in the document, and if its outline is seen. */
const FOCUSED = `(() => {
  const it = document.activeElement
  const outlined = [it, it.closest(".card")].filter((some) => some !== null)
  const isSeen = outlined.some((some) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(some)
    return outlineStyle !== "none" && outlineWidth !== "0px"
  })
  return [[...document.querySelectorAll("*")].indexOf(it), isSeen, it.outerHTML.slice(0, 80)]
})()`

describe("pages as readers use them", () => {
  it.live("Pages have controls for fingertips, and show the keyboard focus in reading order", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_looks_controls")
      const { author, free, overWire, sold } = press
      const comment = yield* overWire(author.say(free.id, "Said"))
      const { page } = yield* windowOf(press, { viewport: { width: 390, height: 844 }, isMobile: true })
      yield* signInAs(page, 1)
      const small: Array<string> = []
      for (const path of [
        "/",
        "/search",
        `/@${author.handle}`,
        free.path,
        sold.path,
        "/gift",
        `/tip?post=${free.id}`,
        `/report?comment=${comment.id}`,
        `/respond/${free.id}?to=${comment.id}`,
        "/give",
        `/give/${sold.id}`,
        "/sign-out"
      ]) {
        yield* act(() => page.goto(path))
        const found = yield* act(() => page.evaluate<ReadonlyArray<string>>(SMALL))
        small.push(...found.map((it) => `${path} ${it}`))
      }
      assert.deepStrictEqual(small, [])
      const keyed = yield* windowOf(press)
      for (const path of ["/", free.path]) {
        yield* act(() => keyed.page.goto(path))
        let last = -1
        for (let stops = 0; ; stops++) {
          yield* act(() => keyed.page.keyboard.press("Tab"))
          const [place, isSeen, name] = yield* act(() =>
            keyed.page.evaluate<[number, boolean, string]>(FOCUSED)
          )
          // Behind the last one, the focus leaves the page.
          if (name.startsWith("<body")) {
            assert.isAbove(stops, 15, path)
            break
          }
          assert.isTrue(isSeen, name)
          assert.isAbove(place, last, name)
          last = place
        }
      }
    })
  )
})

describe("pages as readers set them", () => {
  it.live("Pages fit with large and wide text, and keep their buttons in forced colours", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_looks_settings")
      const { author, free, origin, overWire, sold } = press
      yield* overWire(author.say(free.id, "Said"))
      const paths = [
        "/",
        "/search?q=pennies",
        "/feeds",
        `/@${author.handle}`,
        free.path,
        sold.path,
        "/sign-in"
      ]
      const authors = [
        "/desk",
        "/desk/posts",
        "/desk/comments",
        "/desk/notifications",
        "/desk/profile",
        "/write",
        `/write/${free.id}`,
        `/write/${sold.id}/publish`
      ]
      for (const [width, change] of [
        [1280, `document.documentElement.style.fontSize = "200%"`],
        [320, SPACED]
      ] as const) {
        const { page } = yield* windowOf(press, { viewport: { width, height: 800 } })
        for (const path of [...paths, ...authors]) {
          if (path === authors[0]) yield* signInAs(page, 1)
          yield* act(() => page.goto(path))
          const before = yield* act(() => page.evaluate<number>("document.documentElement.scrollHeight"))
          yield* act(() => page.evaluate(change))
          const [after, beyond] = yield* act(() =>
            page.evaluate<[number, number]>(
              "[document.documentElement.scrollHeight, document.documentElement.scrollWidth - innerWidth]"
            )
          )
          assert.isAtMost(beyond, 0, `${path} ${width}`)
          if (path === free.path) assert.isAbove(after, before, "the text has changed")
        }
      }
      const forced = yield* windowOf(press, { forcedColors: "active" })
      for (const path of [sold.path, `/@${author.handle}`]) {
        yield* act(() => forced.page.goto(path))
        const border = yield* act(() =>
          forced.page.evaluate<string>(
            'getComputedStyle(document.querySelector("main button.button")).borderTopWidth'
          )
        )
        assert.strictEqual(border, "1px", path)
      }

      const phone = yield* windowOf(press, { viewport: { width: 390, height: 844 }, isMobile: true })
      const wide = yield* windowOf(press)
      for (const { page } of [phone, wide]) {
        yield* act(() => page.goto(origin + sold.path))
        yield* act(() => page.getByRole("button", { name: /^Unlock this post/ }).click())
        const button = yield* act(() => page.getByRole("link", { name: "Pay in your wallet" }).boundingBox())
        const code = page.getByRole("img", { name: /^QR code/ })
        const hasCode = yield* act(() => code.isVisible())
        assert.strictEqual(hasCode, page === wide.page, "a phone opens its own wallet")
        if (hasCode) assert.isBelow((yield* act(() => code.boundingBox()))!.y, button!.y)
      }
    })
  )
})
