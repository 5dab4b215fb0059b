import type { ReportCode } from "../../conversion/report.ts"

/** Pictures of the media library by their ids and by the posts to which they belong. */
export interface MediaLibrary {
  readonly urlOf: (id: string) => string | undefined
  readonly idsOf: (postId: string) => ReadonlyArray<string>
}

/** The place of shortcodes. */
export interface ShortcodePlace {
  readonly library: MediaLibrary
  readonly postId: string
  readonly note: (code: ReportCode, excerpt?: string) => void
}

const TAG = /\[(\/?)([a-z][\w-]{0,60})((?:\s[^[\]]{0,2000})?)\]/gi

const LANGUAGES: ReadonlySet<string> = new Set(
  "code sourcecode source php javascript js css html xml python ruby java cpp csharp c bash sql".split(" ")
)

/** Shortcodes without an end that are dropped even without values. */
const SINGLE: ReadonlySet<string> = new Set(
  "gallery audio video playlist contact-form contact-form-7 ninja_form gravityform wpforms toc table-of-contents subscribe jetpack_subscription_form polldaddy slideshow recent-posts archives sitemap social share addtoany print_link pullquote dropcap clear divider spacer end_columns".split(
    " "
  )
)

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (it) => ESCAPES[it] as string)

/** Returns the value of a shortcode by one of its names, or its first value without one. */
const valueOf = (given: string, ...names: ReadonlyArray<string>): string => {
  for (const [, name, double, single, bare, plain] of given.matchAll(
    /([\w-]{1,40})\s{0,5}=\s{0,5}(?:"([^"]*)"|'([^']*)'|([^\s"']+))|([^\s"'=]+)/g
  )) {
    const value = double ?? single ?? bare ?? plain ?? ""
    if (name === undefined ? names.includes("") : names.includes(name.toLowerCase())) return value
  }
  return ""
}

const isAddress = (text: string) => /^https?:\/\/\S{1,2000}$/i.test(text)

const code = (name: string, given: string, inner: string) => {
  const language =
    valueOf(given, "language", "lang") ||
    (LANGUAGES.has(name) && !/^(?:code|source|sourcecode)$/.test(name) ? name : "")
  // Kept in either form, so text with references is taken as written already.
  const text = /&(?:lt|gt|amp|quot|#\d+);/.test(inner) ? inner.replaceAll("<", "&lt;") : escaped(inner)
  return `\n\n<pre data-language="${escaped(language)}">\n${text.replace(/^\r?\n/, "").trimEnd()}\n</pre>\n\n`
}

const caption = (given: string, inner: string) => {
  const picture = /^\s*(<a\s[^>]*>\s*<img\s[^>]*>\s*<\/a>|<img\s[^>]*>)/i.exec(inner)
  const words = picture === null ? inner : inner.slice(picture[0].length)
  return `\n\n<figure>${picture?.[1] ?? ""}<figcaption>${words.trim() || escaped(valueOf(given, "caption"))}</figcaption></figure>\n\n`
}

const gallery = (given: string, { library, postId }: ShortcodePlace) => {
  const listed = valueOf(given, "ids", "include")
    .split(",")
    .map((id) => id.trim())
    .filter((id) => id !== "")
  const ids = listed.length > 0 ? listed : library.idsOf(valueOf(given, "id") || postId)
  const pictures = ids.slice(0, 200).flatMap((id) => {
    const url = library.urlOf(id)
    return url === undefined ? [] : [`<img src="${escaped(url)}">`]
  })
  return pictures.length === 0 ? undefined : `\n\n<figure class="gallery">${pictures.join("")}</figure>\n\n`
}

const embed = (url: string) => `\n\n<iframe src="${escaped(url)}"></iframe>\n\n`

/** Returns what a shortcode becomes; undefined for one without a meaning in a text. */
const replaced = (
  name: string,
  given: string,
  inner: string | undefined,
  place: ShortcodePlace
): string | undefined => {
  if (LANGUAGES.has(name) && inner !== undefined) {
    place.note("shortcode_converted", name)
    return code(name, given, inner)
  }
  if ((name === "caption" || name === "wp_caption") && inner !== undefined) return caption(given, inner)
  if (name === "gallery") return gallery(given, place)
  if (name === "audio" || name === "video") {
    const src = valueOf(given, "src", "mp3", "mp4", "m4v", "m4a", "ogg", "webm", "wav", "")
    return isAddress(src) ? `\n\n<${name} src="${escaped(src)}"></${name}>\n\n` : undefined
  }
  const address = (inner ?? "").replaceAll("&amp;", "&").trim() || valueOf(given, "url", "src", "href", "")
  if (
    /^(?:embed|youtube|vimeo|tweet|twitter|instagram|soundcloud|spotify|gist|ted|dailymotion|googlevideo|facebook)$/.test(
      name
    )
  ) {
    if (isAddress(address)) return embed(address)
    const id = /^[\w-]{5,20}$/.test(address) ? address : valueOf(given, "id")
    if (name === "youtube" && id !== "")
      return embed(`https://www.youtube.com/watch?v=${encodeURIComponent(id)}`)
    if (name === "vimeo" && id !== "") return embed(`https://vimeo.com/${encodeURIComponent(id)}`)
    return undefined
  }
  if (name === "latex" && inner !== undefined) {
    place.note("math_code")
    return `$${inner.trim()}$`
  }
  return undefined
}

interface Found {
  readonly isClosing: boolean
  readonly name: string
  readonly given: string
  readonly start: number
  readonly end: number
}

/** Returns the tags of shortcodes, without `[[name]]` and those within `pre` and `code`. */
const tagsIn = (content: string): ReadonlyArray<Found> => {
  const literal = literalRanges(content)
  let range = 0
  const tags: Array<Found> = []
  for (const match of content.matchAll(TAG)) {
    const [whole, slash, name = "", given = ""] = match
    while (range < literal.length && (literal[range]?.[1] ?? 0) <= match.index) range++
    const isLiteral = (literal[range]?.[0] ?? Number.MAX_SAFE_INTEGER) <= match.index
    if (isLiteral || content[match.index - 1] === "[") continue
    tags.push({
      isClosing: slash === "/",
      name: name.toLowerCase(),
      given: given.replace(/\/$/, ""),
      start: match.index,
      end: match.index + whole.length
    })
  }
  return tags
}

/** Returns the places of `pre` and `code`, where shortcodes are text. */
export const literalRanges = (content: string): ReadonlyArray<readonly [start: number, end: number]> => {
  const ranges: Array<readonly [number, number]> = []
  const opens = /<(pre|code)\b[^<>]{0,2000}>/gi
  for (let open = opens.exec(content); open !== null; open = opens.exec(content)) {
    const closes = new RegExp(`</${open[1]}\\s{0,10}>`, "gi")
    closes.lastIndex = opens.lastIndex
    const close = closes.exec(content)
    if (close === null) break
    ranges.push([open.index, closes.lastIndex])
    opens.lastIndex = closes.lastIndex
  }
  return ranges
}

/**
 * Replaces shortcodes by HTML. Those in pairs keep their inner text, others are dropped if they are known or have values. Words
 * in brackets, such as `[1]`, are text. Takes linear time.
 */
export const withoutShortcodes = (content: string, place: ShortcodePlace): string => {
  if (!content.includes("[")) return content
  const tags = tagsIn(content)
  // The end of each shortcode: the next closing tag of its name.
  const ends = new Map<Found, Found>()
  const closings = new Map<string, Found>()
  for (const tag of tags.toReversed()) {
    if (tag.isClosing) closings.set(tag.name, tag)
    else {
      const close = closings.get(tag.name)
      if (close !== undefined) {
        ends.set(tag, close)
        closings.delete(tag.name)
      }
    }
  }
  const closed = new Set(ends.values())
  let result = ""
  let at = 0
  for (const tag of tags) {
    if (tag.start < at) continue
    const close = ends.get(tag)
    const inner = close === undefined ? undefined : content.slice(tag.end, close.start)
    const html = tag.isClosing ? undefined : replaced(tag.name, tag.given, inner, place)
    if (html !== undefined) {
      result += content.slice(at, tag.start) + html
      at = close?.end ?? tag.end
      continue
    }
    const isShortcode =
      close !== undefined ||
      closed.has(tag) ||
      (!tag.isClosing && (SINGLE.has(tag.name) || /[\w-]=/.test(tag.given)))
    if (!isShortcode) continue
    if (!tag.isClosing) place.note("shortcode_dropped", `[${tag.name}]`)
    result += content.slice(at, tag.start)
    at = tag.end
  }
  return (result + content.slice(at)).replaceAll(/\[(\[[a-z][\w-]{0,60}[^[\]]{0,500}\])\]/gi, "$1")
}
