import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  emailChangedLetters,
  emailChangeLetters,
  loginLetters,
  registrationLetters
} from "../../../src/accounts/email-codes/codeLetters.ts"
import type { Letter } from "../../../src/platform/mail/Letter.ts"
import { type Envelope, mailOf } from "../../../src/platform/mail/templates.ts"
import { code, ORIGIN } from "./outbox.ts"

const envelope: Envelope = {
  id: "0193f1a0-0000-7000-8000-000000000001",
  recipient: "ada@example.org",
  siteName: "Pennypress",
  origin: ORIGIN
}
const confirmationUrl = `${ORIGIN}/auth/v1/verify?token=t&type=email_change`

const change = (url: string) => emailChangeLetters(code, url, "Pennypress").toOwner
const login = loginLetters(code, "Pennypress")
const registration = registrationLetters(code, "Pennypress")
const newcomer = registration.toStranger ?? assert.fail("A newcomer gets no mail")
const changed = emailChangedLetters("Pennypress").toOwner

const letters: Readonly<Record<string, Letter>> = {
  "the code of a login": login.toOwner,
  "the code of a registration": newcomer,
  "the answer to a registration with an account": registration.toOwner,
  "the code of a change of address": change(confirmationUrl),
  "the news of a changed address": changed
}

const footer = "Sent to ada@example.org by Pennypress, https://press.test"
const ignoreIt = "If you didn't ask for this, you can ignore this email."
const note =
  "The code works once, and expires 10 minutes after you asked for it. Pennypress will never ask you for it."

/** Returns the plain text of a mail, paragraph by paragraph. */
const saidBy = (letter: Letter) => {
  const { subject, text } = mailOf(letter, envelope)
  return [subject, ...text.trimEnd().split("\n\n")]
}

describe("a mail in plain text", () => {
  it("A mail brings the code of a login", () => {
    assert.deepStrictEqual(saidBy(login.toOwner), [
      `${code} is your Pennypress code`,
      "Pennypress",
      "Enter this code to sign in to Pennypress:",
      code,
      note,
      ignoreIt,
      footer
    ])
  })

  it("A mailbox without an account gets no code of a login", () => {
    assert.isNull(login.toStranger)
  })

  it("A mail brings the code of a registration", () => {
    assert.deepStrictEqual(saidBy(newcomer), [
      `${code} is your Pennypress code`,
      "Pennypress",
      "Enter this code to create your Pennypress account:",
      code,
      note,
      ignoreIt,
      footer
    ])
  })

  it("A mail tells an owner who registers again to sign in instead, and brings no code", () => {
    assert.deepStrictEqual(saidBy(registration.toOwner), [
      "You already have a Pennypress account",
      "Pennypress",
      "Someone tried to create a Pennypress account with this address. It already has one, so sign in instead.",
      `Sign in: ${ORIGIN}/sign-in`,
      ignoreIt,
      footer
    ])
  })

  it("A mail brings the code and the confirmationUrl of a change of address", () => {
    assert.deepStrictEqual(saidBy(change(confirmationUrl)), [
      `${code} is your Pennypress code`,
      "Pennypress",
      "Enter this code to use this address for your Pennypress account:",
      code,
      `Or open the confirmation page: ${confirmationUrl}`,
      note,
      ignoreIt,
      footer
    ])
  })

  it("A mail tells the former address of a change, without the new one", () => {
    assert.deepStrictEqual(saidBy(changed), [
      "Your Pennypress email address was changed",
      "Pennypress",
      "Your Pennypress account now has a different email address. You can no longer sign in with this one.",
      "If this wasn't you, contact the people who run this site right away.",
      footer
    ])
  })
})

/** Returns the text that a person sees of a mail in HTML. Its links are words. */
const shown = (html: string) =>
  html
    .replace(/<head>[^]*<\/head>/, "")
    .replaceAll(/<[^>]*>/g, "\n")
    .replaceAll("&amp;", "&")
    .replaceAll("&#39;", "'")
    .split("\n")
    .filter((line) => line !== "")
    .join("")

describe("a mail in HTML", () => {
  for (const [name, letter] of Object.entries(letters)) {
    it(`The HTML says what the plain text says: ${name}`, () => {
      const { html, text } = mailOf(letter, envelope)
      const words = text
        .replace(`: ${confirmationUrl}`, "")
        .replace(`: ${ORIGIN}/sign-in`, "")
        .replace(`, ${ORIGIN}`, "")
      assert.strictEqual(shown(html), words.replaceAll("\n", ""))
    })

    it(`No HTML fetches, runs or colours: ${name}`, () => {
      const { html } = mailOf(letter, envelope)
      assert.notMatch(html, /<(script|style|img|link|iframe|form|svg|object)|\ssrc=|url\(|@import|\son\w+=/i)
      assert.notMatch(html, /color:|background/)
      assert.include(html, `<meta name="color-scheme" content="light dark">`)
    })
  }

  it("The HTML shows the code in large type, and so does the subject", () => {
    for (const letter of Object.values(letters)) {
      const { html, subject } = mailOf(letter, envelope)
      const hasCode = letter !== registration.toOwner && letter !== changed
      assert.strictEqual(subject.startsWith(`${code} is`), hasCode)
      assert.strictEqual(/<p style="[^"]*36px[^"]*">314159<\/p>/.test(html), hasCode)
    }
  })

  it("The HTML has the confirmationUrl behind a button", () => {
    const { html } = mailOf(change(confirmationUrl), envelope)
    const escaped = confirmationUrl.replaceAll("&", "&amp;")
    assert.match(html, /<a href="[^"]*" style="[^"]*">Or open the confirmation page<\/a>/)
    assert.include(html, `<a href="${escaped}" style=`)
  })
})

describe("hostile values", () => {
  /** Plain text, and text that breaks out of it. */
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: fc.constantFrom(..."<>\"'&;=/ \r\n\0\u2028\u2029ab:") }),
    fc.constantFrom(
      `"><script>alert(1)</script>`,
      "javascript:alert(1)",
      `https://x" onmouseover="alert(1)`,
      "https://x\r\n\r\nYour code is 000000",
      "&lt;script&gt;"
    )
  )
  /** Returns all characters with a meaning in HTML, in order. */
  const structure = (html: string) => html.replaceAll(/[^<>"']/g, "")
  it("Hostile values stay text within HTML", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (recipient, originPath, urlPath) => {
        const origin = `https://${originPath}`
        const { html } = mailOf(change(`https://${urlPath}`), {
          id: envelope.id,
          recipient,
          siteName: "Pennypress",
          origin
        })
        const benign = mailOf(change("https://benign"), {
          id: envelope.id,
          recipient: "benign",
          siteName: "Pennypress",
          origin: "https://benign"
        }).html
        assert.strictEqual(structure(html), structure(benign))
        assert.notMatch(html, /&(?!(amp|lt|gt|quot|#39);)/)
      })
    )
  })

  it("Hostile values are links only when they lead to the web", () => {
    fc.assert(
      fc.property(hostile, hostile, (origin, url) => {
        const { html } = mailOf(change(url), { ...envelope, origin })
        for (const [, target = ""] of html.matchAll(/href="([^"]*)"/g)) assert.match(target, /^https?:\/\//i)
      })
    )
    const { html } = mailOf(change("javascript:alert(1)"), envelope)
    assert.strictEqual(html.match(/href=/g)?.length, 1)
  })

  it("Hostile values make no paragraphs in plain text", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (recipient, origin, url) => {
        const lines = mailOf(change(url), { ...envelope, recipient, origin }).text.split(
          /[\r\n\u2028\u2029\v\f]/
        )
        const benign = mailOf(change(confirmationUrl), envelope).text.split("\n")
        assert.strictEqual(lines.length, benign.length)
      })
    )
  })
})
