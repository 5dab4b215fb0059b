import { brief, oneLine } from "../../../platform/mail/oneLine.ts"
import { html as markup, trusted } from "../../../platform/pages/html.ts"
import { directionOf } from "../../../platform/pages/language.ts"

/** Bytes of the HTML of a mail, at most. Gmail cuts a message at about 102 kB of its source, which is base64 for most scripts. */
export const HTML_BYTES_MAX = 66_000
/** Bytes of HTML that the frame of a mail may take: its head, its title, the links at its end. */
const FRAME_BYTES = 6_000
/** Characters of a subject. */
const SUBJECT_MAX = 150
/** Characters of the plain text: a mail of both parts stays below what servers take. */
const TEXT_MAX = 200_000

/** A post as its mail shows it: the text that everyone may read. */
export interface MailedPost {
  readonly title: string
  readonly author: string
  readonly url: string
  readonly language: string
  /** The price of the rest; null for a whole text. */
  readonly priceXno: string | null
  /** The text as HTML with absolute addresses, and its images with sizes. */
  readonly html: string
  /** The text as Markdown with absolute addresses. */
  readonly markdown: string
}

/** The end of a mail. */
export interface MailFooter {
  readonly author: string
  readonly siteName: string
  readonly origin: string
  readonly endUrl: string
  readonly postalAddress: string | undefined
  readonly pages: ReadonlyArray<{ readonly title: string; readonly url: string }>
}

/** The styles of elements. No colours: a mail program applies its own, even dark ones. */
const STYLES: Readonly<Record<string, string>> = {
  h2: "margin:32px 0 12px;font-size:22px;line-height:1.3",
  h3: "margin:28px 0 12px;font-size:19px;line-height:1.3",
  h4: "margin:24px 0 12px;font-size:17px",
  p: "margin:0 0 16px",
  blockquote: "margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid",
  pre: "margin:0 0 16px;padding:12px;border:1px solid;border-radius:6px;overflow-x:auto;font:14px/1.5 ui-monospace,Menlo,Consolas,monospace",
  code: "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px",
  table: "margin:0 0 16px;border-collapse:collapse",
  th: "padding:6px 10px;border:1px solid;text-align:start",
  td: "padding:6px 10px;border:1px solid",
  hr: "margin:32px 0;border:0;border-top:1px solid",
  img: "max-width:100%;height:auto",
  figure: "margin:0 0 16px"
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^<>"])*)>/g
const VOID: ReadonlySet<string> = new Set(["br", "hr", "img", "input"])

/** Gives the elements of a text their styles. Only tags of the text have a `<`. */
const styled = (html: string): string =>
  html.replaceAll(TAG, (tag, close: string, name: string, rest: string) => {
    const style = close === "" ? STYLES[name] : undefined
    return style === undefined || rest.includes(' style="') ? tag : `<${name} style="${style}"${rest}>`
  })

/** Returns the places at which a block of the text ends. */
const blockEnds = (html: string): ReadonlyArray<number> => {
  const ends: Array<number> = []
  let depth = 0
  for (const { 0: tag, 1: close, 2: name = "", index } of html.matchAll(TAG)) {
    if (!VOID.has(name)) depth += close === "" ? 1 : -1
    if (depth === 0) ends.push(index + tag.length)
  }
  return ends
}

const bytesOf = (text: string) => Buffer.byteLength(text)

/** Returns the text up to the last block that fits. */
const fitting = (html: string, bytesMax: number): string => {
  if (bytesOf(html) <= bytesMax) return html
  let start = 0
  let bytes = 0
  for (const end of blockEnds(html)) {
    bytes += bytesOf(html.slice(start, end))
    if (bytes > bytesMax) break
    start = end
  }
  return html.slice(0, start)
}

/** Returns the subject and the texts of the mail about a post, up to its end, which differs for each reader. */
export const postMailOf = (post: MailedPost) => {
  const { author, language, markdown, priceXno, title, url } = post
  const whole = styled(post.html)
  const body = fitting(whole, HTML_BYTES_MAX - FRAME_BYTES)
  const isCut = body.length < whole.length
  const rest = priceXno === null ? (isCut ? "Read on" : undefined) : `Keep reading for ${priceXno} XNO`
  const name = brief(author, 50)
  const head = brief(title, 200)
  const html = markup`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${head}</title>
</head>
<body style="margin:0;padding:24px;font:16px/1.6 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto">
<h1 style="margin:0 0 8px;font-size:28px;line-height:1.25"><a href="${url}">${head}</a></h1>
<p style="margin:0 0 24px"><bdi>${name}</bdi></p>
${trusted(body)}
${rest !== undefined && markup`<p style="margin:24px 0 16px" lang="en" dir="ltr"><a href="${url}" style="display:inline-block;padding:10px 20px;border:2px solid;border-radius:8px;font-weight:600;text-decoration:none">${rest}</a></p>`}
`.toString()
  const text = [
    head,
    name,
    url,
    Array.from(markdown).length > TEXT_MAX
      ? `${Array.from(markdown).slice(0, TEXT_MAX).join("")}…`
      : markdown,
    ...(rest === undefined ? [] : [`${rest}: ${url}`])
  ].join("\n\n")
  return { subject: brief(title, SUBJECT_MAX), html, text, isCut }
}

/** Completes the texts of a mail for a reader. */
export const withFooter = (
  { html, text }: { readonly html: string; readonly text: string },
  { author, endUrl, origin, pages, postalAddress, siteName }: MailFooter
) => {
  const why = `You get this because you subscribed to ${brief(author, 50)}, who writes on ${siteName}.`
  const links = [{ title: siteName, url: origin }, ...pages]
  return {
    html: `${html}${markup`<div lang="en" dir="ltr" style="margin:40px 0 0;padding:16px 0 0;border-top:1px solid;font-size:13px">
<p style="margin:0 0 8px">${why} <a href="${endUrl}">Unsubscribe</a></p>
<p style="margin:0">${links.map(({ title, url }, index) => markup`${index > 0 && " · "}<a href="${url}">${title}</a>`)}${postalAddress !== undefined && ` · ${oneLine(postalAddress)}`}</p>
</div>
</div>
</body>
</html>
`.toString()}`,
    text: `${[
      text,
      "--",
      why,
      `Unsubscribe: ${endUrl}`,
      ...links.map(({ title, url }) => `${title}: ${url}`),
      ...(postalAddress === undefined ? [] : [oneLine(postalAddress)])
    ].join("\n\n")}\n`
  }
}
