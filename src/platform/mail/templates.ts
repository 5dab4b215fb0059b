import type { Mail } from "../ports/Mailer.ts"
import { type Letter, SERVICE_NAME } from "./Letter.ts"
import { letterOf } from "./letters.ts"
import type { MailContent } from "./MailContent.ts"
import { oneLine } from "./oneLine.ts"

/** The names and addresses on a mail. */
export interface Envelope {
  /** Stays the same at each attempt to send the mail. */
  readonly id: string
  readonly recipient: string
  readonly hasOwner: boolean
  /** `PublicBaseUrl`. */
  readonly origin: string
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Escapes a value for HTML text or a quoted attribute. */
const escaped = (value: string) => oneLine(value).replaceAll(/[&<>"']/g, (it) => entities[it] ?? it)

/** Returns a web URL as a link, and any other URL as text. */
const link = (url: string) =>
  /^https?:\/\//i.test(url) ? `<a href="${escaped(url)}">${escaped(url)}</a>` : escaped(url)

/** Returns the words of a stranger in quotation marks. */
const quoted = (quote: string | undefined) => (quote === undefined ? undefined : `“${quote}”`)

const UNSUBSCRIBE = "To stop mails of this kind, open:"

/** Fills the one template of plain text: paragraphs with empty lines between them. */
const textOf = (letter: Letter, { origin, recipient }: Envelope) => {
  const paragraphs = [
    SERVICE_NAME,
    letter.message,
    quoted(letter.quote),
    letter.code,
    letter.confirmationUrl === undefined
      ? undefined
      : `Or use this link in place of the code: ${letter.confirmationUrl}`,
    letter.url,
    letter.validity,
    letter.closing,
    letter.unsubscribeUrl === undefined ? undefined : `${UNSUBSCRIBE} ${letter.unsubscribeUrl}`,
    `Sent to ${recipient} by ${SERVICE_NAME}, ${origin}`
  ]
  return `${paragraphs
    .filter((it) => it !== undefined)
    .map(oneLine)
    .join("\n\n")}\n`
}

/**
 * Returns a paragraph of HTML, or an empty text without content. The content is HTML: the caller escapes plain text.
 */
const paragraph = (content: string | undefined, style = "margin:0 0 16px") =>
  content === undefined ? "" : `<p style="${style}">${content}</p>\n`

const CODE = "margin:0 0 16px;font:700 36px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px"

/**
 * Fills the one template of HTML. It names no colours, so that a mail program applies its own, even dark ones. It
 * fetches nothing.
 */
const htmlOf = (letter: Letter, { origin, recipient }: Envelope) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(letter.subject)}</title>
</head>
<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:520px;margin:0 auto">
${[
  paragraph(SERVICE_NAME, "margin:0 0 24px;font-weight:700"),
  paragraph(escaped(letter.message)),
  paragraph(letter.quote === undefined ? undefined : escaped(`“${letter.quote}”`)),
  paragraph(letter.code, CODE),
  paragraph(
    letter.confirmationUrl && `Or use this link in place of the code: ${link(letter.confirmationUrl)}`
  ),
  paragraph(letter.url && link(letter.url)),
  paragraph(letter.validity),
  paragraph(escaped(letter.closing)),
  paragraph(letter.unsubscribeUrl && `${UNSUBSCRIBE} ${link(letter.unsubscribeUrl)}`),
  paragraph(
    `Sent to ${escaped(recipient)} by ${SERVICE_NAME}, ${link(origin)}`,
    "margin:24px 0 0;font-size:13px"
  )
].join("")}</div>
</body>
</html>
`

/** Returns a mail in plain text and HTML, ready to send. */
export const mailOf = (content: MailContent, envelope: Envelope): Mail => {
  const letter = letterOf(content, envelope.hasOwner)
  return {
    id: envelope.id,
    to: { address: envelope.recipient },
    subject: letter.subject,
    text: textOf(letter, envelope),
    html: htmlOf(letter, envelope),
    unsubscribeUrl: letter.unsubscribeUrl
  }
}
