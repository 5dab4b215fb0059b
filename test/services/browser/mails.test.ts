import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { loginLetters } from "../../../src/accounts/email-codes/codeLetters.ts"
import {
  type News,
  notificationLetterOf
} from "../../../src/engagement/notifications/mails/notificationLetters.ts"
import { confirmationLetters, importLetter } from "../../../src/engagement/subscribers/subscriptionLetters.ts"
import type { Letter } from "../../../src/platform/mail/Letter.ts"
import { mailOf } from "../../../src/platform/mail/templates.ts"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { mailWindows } from "./shownMail.ts"
import { receivedMail, site, type Site } from "./site.ts"

const LONG_URL = `https://example.test/${"a-long-path/".repeat(12)}?token=${"0123456789".repeat(8)}`

/** A picture that is wider than any mail. */
const wide = (background: string) =>
  Effect.promise(() =>
    sharp({ create: { width: 1600, height: 500, channels: 3, background } })
      .png()
      .toBuffer()
  )

const everything = (
  picture: string
) => `The first paragraph says what the post is about, and *stresses* **two** words of it.[^1]

## Money that weighs nothing

![A coast at night](${picture})

![A lighthouse](https://pictures.test/lighthouse.png "Seen from the boat, in the winter of 1891")

### A heading of the third level, which is long enough to take two lines on a phone

Read ${LONG_URL} or \`a_name_of_code_that_is_longer_than_a_phone_is_wide_and_has_no_space_in_it()\`, and
Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft.

\`\`\`ts
const price: string = "0.25" // exact, and a line that is longer than a phone is wide, so that it has to go somewhere
if (price === "0.25") {
  pay(price)
}
\`\`\`

| Year | Paper | Founded in | Price | Circulation | Language | Editor | Notes |
| :--- | :--- | :--- | ---: | ---: | :--- | :--- | :--- |
| 1833 | The Sun | New York | 0.01 | 15000 | English | Benjamin Day | The first of the penny press |
| 1836 | La Presse | Paris | 0.05 | 20000 | French | Émile de Girardin | Sold advertisements |

| Word | Meaning |
| --- | --- |
| penny | a small coin |

1. One
2. Two
   - Within two
   - And again

   A second paragraph of two.
3. Three

> A light that no one pays for still has to burn.
>
> > Quoted within.

---

#### A heading of the fourth level

The end.

[^1]: A note about the first paragraph, with [a link](https://example.test/).
`

const ARABIC = `هذه هي الفقرة الأولى من النص، وفيها رابط إلى [صفحة أخرى](https://example.test/).

## عنوان

> الضوء الذي لا يدفع أحد ثمنه يجب أن يبقى مضاءً.

1. واحد
2. اثنان

\`\`\`js
const a = 1 // x
\`\`\`

| الاسم | السعر |
| --- | ---: |
| قرش | 0.25 |
`

const EMAIL = "reader@example.org"

/** Subscribes a reader to an author. */
const subscribe = Effect.fnUntraced(function* (press: Site, handle: string) {
  const { client } = press
  const asked = yield* client.send("POST", `/api/profile/${handle}/subscriptions`, { body: { email: EMAIL } })
  assert.strictEqual(asked.status, 202, asked.text)
  const { text } = yield* receivedMail(press, EMAIL, /\/subscriptions\/confirm\//)
  const [path = ""] = /\/subscriptions\/confirm\/\S+/.exec(text) ?? []
  const confirmed = yield* client.send("POST", path, { headers: { "sec-fetch-site": "same-origin" } })
  assert.strictEqual(confirmed.status, 200, confirmed.text)
})

const SENDER = { siteName: "The Penny Press", contact: "desk@press.example" }
const ORIGIN = "https://press.test"
const TOKEN = "0123456789abcdef".repeat(12)

/** The mails with a code, a link or news, in the words of strangers that are as long as they may be. */
const letters = (): Readonly<Record<string, Letter>> => {
  const end = { unsubscribeUrl: `${ORIGIN}/unsubscribe?token=${TOKEN}` }
  const author = "Wolfeschlegelsteinhausenbergerdorffwelchevoralternwarengewissenhaft"
  const published = {
    actor: author,
    title: "On pennies, and on other coins that no one picks up from the street",
    quote: `Said ${"W".repeat(150)} and a few more words`,
    url: `${ORIGIN}/@ada/on-pennies`,
    ...end
  }
  const sold = {
    post_id: null,
    title: "On pennies",
    sales: 1234,
    sales_raw: "123456250000000000000000000000123456",
    tips: 2,
    tips_raw: "500000000000000000000000000000",
    earned_raw: "123956250000000000000000000000123456",
    payments: 1236
  }
  const notification = (news: News) => notificationLetterOf(news, SENDER)
  const confirm = `/subscriptions/confirm/${TOKEN}`
  return {
    code: loginLetters(EmailCode.make("123456"), SENDER.siteName).toOwner,
    "confirm a subscription": confirmationLetters(author, confirm, SENDER.siteName).toOwner,
    "confirm an import": importLetter(
      author,
      confirm,
      `${ORIGIN}/subscriptions/end/${TOKEN}`,
      SENDER.siteName
    ),
    "new post": notification({ kind: "new_post", ...published }),
    sales: notification({ kind: "daily_sales", sold: Array.from({ length: 21 }, () => sold), ...end }),
    issue: notification({
      kind: "account_issue",
      issue: "post_withdrawn",
      title: published.title,
      comment: null,
      reason: "It copies a text of another author.",
      ...end
    })
  }
}

describe("mails in a real browser", () => {
  it.live("A post by mail fits a phone and a desktop, light and dark, from right to left too", () =>
    Effect.gen(function* () {
      const press = yield* site("test_services_mails", {
        SCANNER: "none",
        SITE_NAME: SENDER.siteName,
        MAIL_POSTAL_ADDRESS: "1 Penny Lane\nLiverpool L18 1DE, United Kingdom"
      })
      const { client, overWire } = press
      const author = yield* overWire(uploaderOf(5))
      const named = yield* client.send("PATCH", "/api/v1/profile", {
        token: author.key,
        body: { name: "Mara Lindqvist", handle: "mara" }
      })
      assert.strictEqual(named.status, 200, named.text)
      yield* subscribe(press, "mara")

      const draft = yield* overWire(
        author.draft({ title: "Money that weighs nothing, and the people who carry it" })
      )
      const file = { name: "file", fileName: "coast.png", content: yield* wide("#27547a") }
      const revision = (yield* overWire(author.read(draft.id))).body
      const { publicUrl } = (yield* overWire(author.inline(revision, { parts: [file] }))).body
      const patched = yield* overWire(
        author.patch(
          draft.id,
          { freeContentMarkdown: everything(publicUrl) },
          { "x-post-revision": (yield* overWire(author.read(draft.id))).body.updatedAt }
        )
      )
      assert.strictEqual(patched.status, 200, patched.text)
      const { id: paid } = yield* overWire(
        author.draft({
          title: "Eleven lighthouses",
          freeContentMarkdown: "Every Saturday the boat brought oil, bread and a bill.",
          paidContentMarkdown: "The secret of the keeper.",
          enablePaywall: true,
          priceXno: "0.25"
        })
      )
      const { id: arabic } = yield* overWire(
        author.draft({ title: "عن القروش", language: "ar", freeContentMarkdown: ARABIC })
      )
      const { id: long } = yield* overWire(
        author.draft({
          title: "A long story",
          freeContentMarkdown: `${"On and on it goes. ".repeat(200)}\n\n`.repeat(25)
        })
      )

      const faultsOf = yield* mailWindows(yield* wide("#b3541e"))
      const faults: Array<string> = []
      for (const [name, id, words] of [
        ["everything", draft.id, /Money that weighs nothing/],
        ["paid", paid, /Keep reading for 0\.25 XNO/],
        ["arabic", arabic, /عن القروش/],
        ["long", long, /Read on/]
      ] as const) {
        const published = yield* overWire(author.publish(id))
        assert.strictEqual(published.status, 200, published.text)
        const sent = yield* overWire(author.send("POST", `/${id}/mailing`, { body: { action: "send_now" } }))
        assert.strictEqual(sent.status, 202, sent.text)
        const mail = yield* receivedMail(press, EMAIL, words)
        assert.match(mail.head, /^List-Unsubscribe:\s+<http/m)
        for (const text of [mail.html, mail.text]) {
          assert.include(text, "/subscriptions/end/")
          assert.notInclude(text, "secret")
        }
        if (id === draft.id) assert.include(mail.text, "| 1833 | The Sun |")
        faults.push(...(yield* faultsOf(name, mail.html)))
      }
      assert.deepStrictEqual(faults, [])
    })
  )

  it.live("Mails with a code, a link or news fit a phone and a desktop, light and dark", () =>
    Effect.gen(function* () {
      const faultsOf = yield* mailWindows(Buffer.alloc(0))
      const envelope = { id: "id", recipient: EMAIL, siteName: SENDER.siteName, origin: ORIGIN }
      const faults = yield* Effect.forEach(Object.entries(letters()), ([name, letter]) =>
        faultsOf(name, mailOf(letter, envelope).html)
      )
      assert.deepStrictEqual(faults.flat(), [])
    })
  )
})
