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

/**
 * Returns the styles of elements in a text that begins at this side. No colours: a mail program applies its own, even dark ones. Long
 * lines of code break, as few programs let a part of a mail scroll.
 */
const stylesFor = (side: "left" | "right"): Readonly<Record<string, string>> => {
  const list = `margin:0 0 16px;padding:0;padding-${side}:28px`
  return {
    h2: "margin:36px 0 12px;font-size:23px;line-height:1.3",
    h3: "margin:28px 0 12px;font-size:20px;line-height:1.3",
    h4: "margin:24px 0 12px;font-size:18px;line-height:1.3",
    h5: "margin:24px 0 12px;font-size:17px;line-height:1.3",
    h6: "margin:24px 0 12px;font-size:17px;line-height:1.3",
    p: "margin:0 0 16px",
    ul: list,
    ol: list,
    li: "margin:0 0 4px",
    blockquote: `margin:0 0 16px;padding:0;padding-${side}:16px;border-${side}:3px solid`,
    pre: "margin:0 0 20px;padding:12px;border:1px solid;border-radius:6px;white-space:pre-wrap;direction:ltr;text-align:left;font-size:16px;line-height:1.4",
    code: "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.85em;direction:ltr;unicode-bidi:isolate",
    table: "border-collapse:collapse;font:15px/1.4 system-ui,sans-serif",
    th: "padding:8px 12px;border-bottom:2px solid;vertical-align:bottom",
    td: "padding:8px 12px;border-bottom:1px solid;vertical-align:top",
    hr: "margin:32px 0;border:0;border-top:1px solid",
    img: "max-width:100%;height:auto",
    figure: "margin:0 0 20px",
    figcaption: "margin:4px 0 0;font:14px/1.4 system-ui,sans-serif"
  }
}

const TAG = /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^<>"])*)>/g
const VOID: ReadonlySet<string> = new Set(["br", "hr", "img", "input"])

/** Gives the elements of a text their styles. Wide tables scroll where a program lets them. Only tags of the text have a `<`. */
const styled = (html: string, side: "left" | "right"): string => {
  const styles = stylesFor(side)
  return html.replaceAll(TAG, (tag, close: string, name: string, rest: string) => {
    if (close !== "") return name === "table" ? "</table></div>" : tag
    const style = styles[name]
    if (style === undefined) return tag
    const align = name !== "th" || rest.includes(" align=") ? "" : ` align="${side}"`
    const open = `<${name} style="${style}"${align}${rest}>`
    return name === "table" ? `<div style="margin:0 0 20px;overflow-x:auto" tabindex="0">${open}` : open
  })
}

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
  const direction = directionOf(language)
  const whole = styled(post.html, direction === "rtl" ? "right" : "left")
  const body = fitting(whole, HTML_BYTES_MAX - FRAME_BYTES)
  const isCut = body.length < whole.length
  // The rest of a text that is cut costs nothing.
  const rest = isCut ? "Read on" : priceXno === null ? undefined : `Keep reading for ${priceXno} XNO`
  const name = brief(author, 50)
  const head = brief(title, 200)
  const html = markup`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${head}</title>
</head>
<body style="margin:0;padding:24px 16px">
<div lang="${language}" dir="${direction}" style="max-width:560px;margin:0 auto;font:18px/1.6 Charter,Cambria,Georgia,serif;overflow-wrap:break-word">
<h1 style="margin:0 0 8px;font-size:30px;line-height:1.2"><a href="${url}" style="color:inherit;text-decoration:none">${head}</a></h1>
<p style="margin:0 0 28px;font:15px/1.4 system-ui,sans-serif"><bdi>${name}</bdi></p>
${trusted(body)}
${rest !== undefined && markup`<p style="margin:28px 0 16px;font:16px/1.5 system-ui,sans-serif"><a href="${url}" lang="en" dir="ltr" style="display:inline-block;padding:10px 20px;border:2px solid;border-radius:8px;font-weight:600;text-decoration:none">${rest}</a></p>`}
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
    html: `${html}${markup`<div lang="en" dir="ltr" style="margin:40px 0 0;padding:16px 0 0;border-top:1px solid;font:14px/1.5 system-ui,sans-serif">
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
