import type { Mail } from "../ports/Mailer.ts"
import type { Letter, MailLink } from "./Letter.ts"
import { oneLine } from "./oneLine.ts"

/** The names and addresses on a mail. */
export interface Envelope {
  /** Stays the same at each attempt to send the mail. */
  readonly id: string
  readonly recipient: string
  readonly siteName: string
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

/** Returns words as a link to a web URL. Any other URL stays text. */
const link = (label: string, url: string, style?: string) =>
  /^https?:\/\//i.test(url)
    ? `<a href="${escaped(url)}"${style === undefined ? "" : ` style="${style}"`}>${escaped(label)}</a>`
    : `${escaped(label)}: ${escaped(url)}`

/** Returns the words of a stranger in quotation marks. */
const quoted = (quote: string | undefined) => (quote === undefined ? undefined : `“${quote}”`)

/** Returns a letter whose links name this service. */
const addressed = (letter: Letter, { origin }: Envelope): Letter => {
  const { action } = letter
  return action?.url.startsWith("/") === true
    ? { ...letter, action: { ...action, url: `${origin}${action.url}` } }
    : letter
}

/** Returns the links at the end of a mail that its reader may switch off. */
const choicesOf = ({ choices }: Letter, { origin }: Envelope): ReadonlyArray<MailLink> =>
  choices === undefined
    ? []
    : [
        { label: "Unsubscribe", url: choices.unsubscribeUrl },
        ...(choices.settingsPath === undefined
          ? []
          : [{ label: "Email settings", url: `${origin}${choices.settingsPath}` }])
      ]

/** Fills the one template of plain text: paragraphs with empty lines between them, and each link on a line of its own. */
const textOf = (letter: Letter, envelope: Envelope) => {
  const lineOf = ({ label, url }: MailLink) => oneLine(`${label}: ${url}`)
  const paragraphs = [
    envelope.siteName,
    letter.message,
    ...(letter.lines ?? []),
    quoted(letter.quote),
    letter.code,
    letter.action === undefined ? undefined : lineOf(letter.action),
    letter.note,
    letter.closing,
    ...choicesOf(letter, envelope).map(lineOf),
    `Sent to ${envelope.recipient} by ${envelope.siteName}, ${envelope.origin}`
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

const LINE = "margin:0 0 8px"
const SMALL = "margin:24px 0 0;font-size:14px"
const CODE = "margin:0 0 16px;font:700 36px/1.2 ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px"

const BUTTON =
  "display:inline-block;padding:10px 20px;border:2px solid;border-radius:8px;font-weight:600;text-decoration:none"

/**
 * Fills the one template of HTML. It names no colours, so that a mail program applies its own, even dark ones. It
 * fetches nothing.
 */
const htmlOf = (letter: Letter, envelope: Envelope) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(letter.subject)}</title>
</head>
<body style="margin:0;padding:24px 16px">
<div style="max-width:520px;margin:0 auto;font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word">
${[
  paragraph(escaped(envelope.siteName), "margin:0 0 24px;font-weight:700"),
  paragraph(escaped(letter.message)),
  ...(letter.lines ?? []).map((it) => paragraph(escaped(it), LINE)),
  paragraph(letter.quote === undefined ? undefined : escaped(`“${letter.quote}”`)),
  paragraph(letter.code, CODE),
  paragraph(letter.action && link(letter.action.label, letter.action.url, BUTTON), "margin:24px 0"),
  paragraph(letter.note === undefined ? undefined : escaped(letter.note)),
  paragraph(
    `${escaped(letter.closing)} ${choicesOf(letter, envelope)
      .map(({ label, url }) => link(label, url))
      .join(" · ")}`.trimEnd(),
    letter.choices === undefined ? undefined : SMALL
  ),
  paragraph(`Sent to ${escaped(envelope.recipient)} by ${link(envelope.siteName, envelope.origin)}`, SMALL)
].join("")}</div>
</body>
</html>
`

/** Returns a mail in plain text and HTML, ready to send. */
export const mailOf = (words: Letter, envelope: Envelope): Mail => {
  const letter = addressed(words, envelope)
  return {
    id: envelope.id,
    to: { address: envelope.recipient },
    subject: letter.subject,
    text: textOf(letter, envelope),
    html: htmlOf(letter, envelope),
    unsubscribeUrl: letter.choices?.unsubscribeUrl
  }
}
