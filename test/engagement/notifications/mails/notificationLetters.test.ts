import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  type News,
  notificationLetterOf
} from "../../../../src/engagement/notifications/mails/notificationLetters.ts"
import { type Envelope, mailOf as mailOfLetter } from "../../../../src/platform/mail/templates.ts"
import { ORIGIN } from "../../../platform/mail/outbox.ts"

const envelope: Envelope = {
  id: "0193f1a0-0000-7000-8000-000000000001",
  recipient: "ada@example.org",
  siteName: "Pennypress",
  origin: ORIGIN
}
const unsubscribeUrl = `${ORIGIN}/unsubscribe?token=t`
const url = `${ORIGIN}/@bea/on-pennies`
const stranger = { actor: "Bea", title: "On pennies", quote: "Well said", url, unsubscribeUrl }

const settings = `Email settings: ${ORIGIN}/desk/notifications/settings`

const mailOf = (news: News) =>
  mailOfLetter(
    notificationLetterOf(news, { siteName: envelope.siteName, contact: "desk@press.example" }),
    envelope
  )

/** Returns the subject of a mail, and the paragraphs of its plain text between head and foot. */
const saidBy = (news: News, kind: string) => {
  const { subject, text } = mailOf(news)
  const [service, ...paragraphs] = text.trimEnd().split("\n\n")
  assert.strictEqual(service, "Pennypress")
  assert.deepStrictEqual(paragraphs.slice(-4), [
    `You're receiving this because you asked to hear about ${kind}.`,
    `Unsubscribe: ${unsubscribeUrl}`,
    settings,
    "Sent to ada@example.org by Pennypress, https://press.test"
  ])
  return [subject, ...paragraphs.slice(0, -4)]
}

const told: ReadonlyArray<
  readonly [
    kind: "new_comment" | "comment_reply" | "commented_post_activity" | "new_post",
    about: string,
    says: string,
    label: string
  ]
> = [
  ["new_comment", "comments on your posts", "Bea commented on", "Read the comment"],
  ["comment_reply", "replies to your comments", "Bea replied to you on", "Read the reply"],
  [
    "commented_post_activity",
    "other comments on posts you commented on",
    "Bea also commented on",
    "Read the comment"
  ],
  ["new_post", "new posts from authors you follow", "Bea published", "Read the post"]
]

describe("a mail about a notification", () => {
  for (const [kind, about, says, label] of told) {
    it(`The mail says who did what in its subject, quotes the words and links to them: ${kind}`, () => {
      assert.deepStrictEqual(saidBy({ kind, ...stranger }, about), [
        `${says} On pennies`,
        `${says} “On pennies”:`,
        "“Well said”",
        `${label}: ${url}`
      ])
    })
  }

  it("A mail has the numbers of a day in words, without those that are zero", () => {
    const day = {
      kind: "summary",
      followers: 1,
      comments: 2,
      reactions: 0,
      sales: 3,
      tips: 1,
      unsubscribeUrl
    } as const
    assert.deepStrictEqual(saidBy(day, "your day in numbers"), [
      "Your day on Pennypress",
      "Since yesterday: 1 new follower, 2 new comments, 3 sales, 1 tip.",
      `Open your desk: ${ORIGIN}/desk`
    ])
    const one = { ...day, comments: 1, reactions: 1, sales: 1, tips: 0 }
    assert.deepStrictEqual(
      saidBy(one, "your day in numbers")[1],
      "Since yesterday: 1 new follower, 1 new comment, 1 new reaction, 1 sale."
    )
  })

  it("A mail about a sale or a tip names the payer, the post and an amount that people can read", () => {
    const sale = {
      kind: "new_purchase",
      paidAs: "purchase",
      amountRaw: 250_000_000_000_000_000_000_000_123_456n,
      actor: "Bea",
      title: "On pennies",
      unsubscribeUrl
    } as const
    assert.deepStrictEqual(saidBy(sale, "sales and tips"), [
      "Bea bought “On pennies” for 0.25 XNO",
      "Bea bought “On pennies” for 0.25 XNO.",
      `See your sales: ${ORIGIN}/desk/sales`
    ])
    const subjectOf = (changes: object) => saidBy({ ...sale, ...changes }, "sales and tips")[0]
    assert.strictEqual(subjectOf({}), "Bea bought “On pennies” for 0.25 XNO")
    assert.strictEqual(subjectOf({ actor: null }), "A reader bought “On pennies” for 0.25 XNO")
    assert.strictEqual(subjectOf({ title: null }), "Bea bought one of your posts for 0.25 XNO")
    assert.strictEqual(subjectOf({ paidAs: "tip", title: null }), "Bea tipped you 0.25 XNO")
  })

  it("A mail names a new follower", () => {
    assert.deepStrictEqual(
      saidBy({ kind: "new_follow", actor: "Bea", url, unsubscribeUrl }, "new followers"),
      ["Bea now follows you", "Bea now follows you.", `See their profile: ${url}`]
    )
  })

  it("A mail describes an issue of the account, known or not", () => {
    const about = { title: null, comment: null, reason: null, unsubscribeUrl }
    const said = (issue: string, more: Partial<Record<"comment" | "reason" | "title", string>> = {}) =>
      saidBy({ kind: "account_issue", issue, ...about, ...more }, "your account")
    const objection =
      "If you think this is a mistake, write to the people who run this site: desk@press.example"
    assert.deepStrictEqual(said("image_rejected"), [
      "About your Pennypress account",
      "An image you uploaded didn't pass our screening, so it is no longer shown.",
      `Open your notifications: ${ORIGIN}/desk/notifications`,
      objection
    ])
    assert.deepStrictEqual(
      said("post_withdrawn", { title: "On\npennies", reason: "It copies\u2028a book" }).slice(1),
      [
        "Our moderators withdrew your post “On pennies”. Readers can't see it, and you can't publish it until they restore it. They gave this reason:",
        "“It copies a book”",
        `Open your notifications: ${ORIGIN}/desk/notifications`,
        objection
      ]
    )
    assert.deepStrictEqual(said("comment_hidden", { title: "On pennies", comment: "Buy watches" }).slice(1), [
      "Our moderators hid your comment on “On pennies”. Readers can't see it. You wrote: “Buy watches”",
      `Open your notifications: ${ORIGIN}/desk/notifications`,
      objection
    ])
    assert.strictEqual(
      said("post_restored", { title: "" })[1],
      "Our moderators restored your post “Untitled”. It's public again."
    )
    assert.notInclude(said("post_restored").join(" "), "mistake")
    assert.notInclude(said("image_held", { title: "On pennies" })[1], "pennies")
    assert.include(said("obligation_blocked")[1], "no payout address")
    assert.include(said("account_unrestricted")[1], "no longer restricted")
    assert.include(said("image_failed")[1], "couldn't be screened")
    assert.include(said("of a later release")[1], "needs your attention")
  })

  it("The links of a mail in HTML are words, and no address is shown", () => {
    const mail = mailOf({ kind: "comment_reply", ...stranger })
    assert.strictEqual(mail.unsubscribeUrl, unsubscribeUrl)
    const links = [...mail.html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].map(([, to, words]) => [
      words,
      to
    ])
    assert.deepStrictEqual(links, [
      ["Read the reply", url],
      ["Unsubscribe", unsubscribeUrl],
      ["Email settings", `${ORIGIN}/desk/notifications/settings`],
      ["Pennypress", ORIGIN]
    ])
    assert.notInclude(mail.html.replaceAll(/<[^>]*>/g, ""), "https:")
  })
})

describe("the words of strangers", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 2_000 }),
    fc.string({ unit: fc.constantFrom(..."<>\"'&;=/ \r\n\0\u2028\u2029ab:“”"), maxLength: 2_000 }),
    fc.constantFrom(
      "\r\nBcc: eve@example.net",
      `"><script>alert(1)</script>`,
      "x".repeat(2_000),
      "\u202eevil"
    )
  )
  const kinds = fc.constantFrom("new_comment", "comment_reply", "commented_post_activity", "new_post")

  it("Words of strangers stay in bounded lines, of the subject and of the text", () => {
    fc.assert(
      fc.property(kinds, hostile, hostile, hostile, (kind, actor, title, quote) => {
        const mail = mailOf({ kind, actor, title, quote, url, unsubscribeUrl })
        const plain = mailOf({ kind, ...stranger })
        assert.isAtMost(Array.from(mail.subject).length, 200)
        assert.notMatch(mail.subject, /[\p{C}\p{Zl}\p{Zp}]/u)
        const lines = mail.text.split(/[\r\n\u2028\u2029\v\f]/)
        assert.strictEqual(lines.length, plain.text.split("\n").length)
        for (const line of lines) assert.isAtMost(Array.from(line).length, 240)
        assert.notMatch(mail.text, /[\u202a-\u202e\u2066-\u2069]/)
      })
    )
  })

  it("Words of strangers are text within HTML", () => {
    const structure = (html: string) => html.replaceAll(/[^<>"']/g, "")
    fc.assert(
      fc.property(kinds, hostile, hostile, hostile, (kind, actor, title, quote) => {
        const mail = mailOf({ kind, actor, title, quote, url, unsubscribeUrl })
        assert.strictEqual(structure(mail.html), structure(mailOf({ kind, ...stranger }).html))
      })
    )
  })

  it("A quote is cut at 200 characters, and whole below", () => {
    const quoteOf = (quote: string) =>
      saidBy({ kind: "new_comment", ...stranger, quote }, "comments on your posts")[2]
    assert.strictEqual(quoteOf("ä".repeat(200)), `“${"ä".repeat(200)}”`)
    assert.strictEqual(quoteOf("😀".repeat(201)), `“${"😀".repeat(199)}…”`)
    assert.strictEqual(quoteOf("one\r\n\r\ntwo\tthree"), "“one two three”")
  })
})
