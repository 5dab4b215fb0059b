import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { NotificationContent } from "../../../src/platform/mail/MailContent.ts"
import { type Envelope, mailOf } from "../../../src/platform/mail/templates.ts"
import { ORIGIN } from "./outbox.ts"

const envelope: Envelope = {
  id: "0193f1a0-0000-7000-8000-000000000001",
  recipient: "ada@example.org",
  hasOwner: true,
  origin: ORIGIN
}
const unsubscribeUrl = `${ORIGIN}/unsubscribe?token=t`
const url = `${ORIGIN}/@bea/on-pennies`
const stranger = { actor: "Bea", title: "On pennies", quote: "Well said", url, unsubscribeUrl }

/** Returns the subject of a mail, and the paragraphs of its plain text between head and foot. */
const saidBy = (content: NotificationContent) => {
  const { subject, text } = mailOf(content, envelope)
  const [service, ...paragraphs] = text.trimEnd().split("\n\n")
  assert.strictEqual(service, "Pennypress")
  assert.deepStrictEqual(paragraphs.slice(-3), [
    "You get this mail because your account has mails of this kind switched on.",
    `To stop mails of this kind, open: ${unsubscribeUrl}`,
    "Sent to ada@example.org by Pennypress, https://press.test"
  ])
  return [subject, ...paragraphs.slice(0, -3)]
}

describe("a mail about a notification", () => {
  it("A mail quotes a new comment, and has the link of its Post", () => {
    assert.deepStrictEqual(saidBy({ kind: "new_comment", ...stranger }), [
      "A new comment on your Post",
      "Bea commented on your Post “On pennies”:",
      "“Well said”",
      url
    ])
  })

  it("A mail quotes a reply", () => {
    assert.deepStrictEqual(saidBy({ kind: "comment_reply", ...stranger }), [
      "A reply to your comment",
      "Bea replied to your comment on “On pennies”:",
      "“Well said”",
      url
    ])
  })

  it("A mail quotes a comment in a discussion that the reader took part in", () => {
    assert.deepStrictEqual(saidBy({ kind: "commented_post_activity", ...stranger }), [
      "A new comment in a discussion of yours",
      "Bea commented on “On pennies”, where you commented, too:",
      "“Well said”",
      url
    ])
  })

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
    const said = [
      "Your day on Pennypress",
      "Since yesterday: 1 new follower, 2 new comments, 3 sales, 1 tip."
    ]
    assert.deepStrictEqual(saidBy(day), said)
    const one = { ...day, comments: 1, reactions: 1, sales: 1, tips: 0 }
    assert.deepStrictEqual(
      saidBy(one)[1],
      "Since yesterday: 1 new follower, 1 new comment, 1 new reaction, 1 sale."
    )
  })

  it("A mail describes a new Post", () => {
    assert.deepStrictEqual(saidBy({ kind: "new_post", ...stranger }), [
      "A new Post by an author whom you follow",
      "Bea published “On pennies”:",
      "“Well said”",
      url
    ])
  })

  it("A mail names a new follower", () => {
    assert.deepStrictEqual(saidBy({ kind: "new_follow", actor: "Bea", url, unsubscribeUrl }), [
      "You have a new follower",
      "Bea follows you now.",
      url
    ])
  })

  it("A mail describes an issue of the account, known or not", () => {
    const said = (issue: string) => saidBy({ kind: "account_issue", issue, unsubscribeUrl })
    assert.deepStrictEqual(said("image_rejected"), [
      "About your Pennypress account",
      "An image that you uploaded was rejected by the screening, and is no longer shown."
    ])
    assert.include(said("account_unrestricted")[1], "no longer restricted")
    assert.include(said("image_failed")[1], "could not be screened")
    assert.include(said("of a later release")[1], "needs your attention")
  })

  it("A mail has the unsubscribe link of its headers", () => {
    const mail = mailOf({ kind: "new_follow", actor: "Bea", url, unsubscribeUrl }, envelope)
    assert.strictEqual(mail.unsubscribeUrl, unsubscribeUrl)
    assert.include(mail.html, `<a href="${unsubscribeUrl}">`)
    assert.isUndefined(mailOf({ kind: "email_changed" }, envelope).unsubscribeUrl)
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

  it("Words of strangers are never in the subject, and stay in bounded lines of the text", () => {
    fc.assert(
      fc.property(kinds, hostile, hostile, hostile, (kind, actor, title, quote) => {
        const mail = mailOf({ kind, actor, title, quote, url, unsubscribeUrl }, envelope)
        const plain = mailOf({ kind, ...stranger }, envelope)
        assert.strictEqual(mail.subject, plain.subject)
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
        const mail = mailOf({ kind, actor, title, quote, url, unsubscribeUrl }, envelope)
        assert.strictEqual(structure(mail.html), structure(mailOf({ kind, ...stranger }, envelope).html))
      })
    )
  })

  it("A quote is cut at 200 characters, and whole below", () => {
    const quoteOf = (quote: string) => saidBy({ kind: "new_comment", ...stranger, quote })[2]
    assert.strictEqual(quoteOf("ä".repeat(200)), `“${"ä".repeat(200)}”`)
    assert.strictEqual(quoteOf("😀".repeat(201)), `“${"😀".repeat(199)}…”`)
    assert.strictEqual(quoteOf("one\r\n\r\ntwo\tthree"), "“one two three”")
  })
})
