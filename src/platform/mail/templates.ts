import type { Mail } from "../ports/Mailer.ts"
import { letterOf, type Letter, SERVICE_NAME } from "./letters.ts"
import type { MailContent } from "./MailContent.ts"

/** Names, addresses and signs a mail. */
export interface Envelope {
  /** The same at each attempt to send the mail. */
  readonly id: string
  readonly recipient: string
  readonly hasOwner: boolean
  /** `PublicBaseUrl`. */
  readonly origin: string
}

/** A value within a line, so that none can write lines of its own. */
const inline = (value: string) => value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ")

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A value as text of HTML, or within the quotes of an attribute. */
const escaped = (value: string) => inline(value).replaceAll(/[&<>"']/g, (it) => entities[it] ?? it)

/** A URL of the web as a link, and any other as the text that it is. */
const link = (url: string) =>
  /^https?:\/\//i.test(url) ? `<a href="${escaped(url)}">${escaped(url)}</a>` : escaped(url)

/** The one template of plain text: paragraphs with empty lines between. */
const textOf = (letter: Letter, { origin, recipient }: Envelope) => {
  const paragraphs = [
    SERVICE_NAME,
    letter.message,
    letter.code,
    letter.confirmationUrl === undefined
      ? undefined
      : `Or give this link in place of the code: ${letter.confirmationUrl}`,
    letter.validity,
    letter.closing,
    `Sent to ${recipient} by ${SERVICE_NAME}, ${origin}`
  ]
  return `${paragraphs
    .filter((it) => it !== undefined)
    .map(inline)
    .join("\n\n")}\n`
}

/** A paragraph of HTML, or none. The content is HTML, so what is none is escaped by the caller. */
const paragraph = (content: string | undefined, style = "margin:0 0 16px") =>
  content === undefined ? "" : `<p style="${style}">${content}</p>\n`

const CODE = "margin:0 0 16px;font:700 36px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px"

/**
 * The one template of HTML. It names no colours, so that a mail program shows it in its own, dark ones too, and
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
  paragraph(letter.code, CODE),
  paragraph(
    letter.confirmationUrl && `Or give this link in place of the code: ${link(letter.confirmationUrl)}`
  ),
  paragraph(letter.validity),
  paragraph(escaped(letter.closing)),
  paragraph(
    `Sent to ${escaped(recipient)} by ${SERVICE_NAME}, ${link(origin)}`,
    "margin:24px 0 0;font-size:13px"
  )
].join("")}</div>
</body>
</html>
`

/** A mail in both of its forms, ready to be sent. */
export const mailOf = (content: MailContent, envelope: Envelope): Mail => {
  const letter = letterOf(content, envelope.hasOwner)
  return {
    id: envelope.id,
    to: { address: envelope.recipient },
    subject: letter.subject,
    text: textOf(letter, envelope),
    html: htmlOf(letter, envelope)
  }
}
