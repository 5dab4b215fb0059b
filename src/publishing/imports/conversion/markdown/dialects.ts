import { embedLink, pageOfEmbed } from "../embeds.ts"
import type { ReportCode } from "../report.ts"
import { outsideCode } from "./codeRanges.ts"

/** Notes a place in a report. */
type Note = (code: ReportCode, excerpt?: string) => void

/** Finds the address of a note by the name in `[[name]]`, or of a picture. */
type NoteAddress = (name: string) => string | undefined

/** The dialect of a text. */
export interface Dialect {
  readonly note: Note
  readonly addressOf: NoteAddress
  /** True for MDX, where lines that import and export are code. */
  readonly isMdx: boolean
}

/**
 * Replaces what stands between two marks, in linear time: a mark without its end ends the search. Returning undefined leaves
 * the place as it is.
 */
const between = (
  text: string,
  opens: RegExp,
  closes: RegExp,
  change: (inner: string, open: RegExpExecArray) => string | undefined
): string => {
  let result = ""
  let at = 0
  opens.lastIndex = 0
  for (let open = opens.exec(text); open !== null; open = opens.exec(text)) {
    const from = open.index + open[0].length
    closes.lastIndex = from
    const close = closes.exec(text)
    if (close === null) break
    const end = close.index + close[0].length
    const changed = change(text.slice(from, close.index), open)
    result += text.slice(at, open.index) + (changed ?? text.slice(open.index, end))
    at = end
    opens.lastIndex = end
  }
  return result + text.slice(at)
}

type Change = (text: string, dialect: Dialect) => string

const linkOf = (text: string, url: string) =>
  `[${text.replaceAll(/[[\]\\]/g, "\\$&")}](<${url.replaceAll(/[<>\n\\]/g, encodeURIComponent)}>)`

const embed = (url: string, title: string, { note }: Dialect) => {
  const page = pageOfEmbed(url)
  note("embed_link", page)
  const [node] = embedLink(page, title)
  return linkOf(node?.text ?? page, page)
}

const argumentsOf = (
  text: string
): { readonly named: ReadonlyMap<string, string>; readonly plain: ReadonlyArray<string> } => {
  const named = new Map<string, string>()
  const plain: Array<string> = []
  for (const [, name, quoted, single, bare] of text.matchAll(
    /(?:([\w-]{1,40})=)?(?:"([^"]*)"|'([^']*)'|([^\s"'=]+))/g
  )) {
    const value = quoted ?? single ?? bare ?? ""
    if (name === undefined) plain.push(value)
    else named.set(name, value)
  }
  return { named, plain }
}

/** Services whose shortcodes have an id. */
const SERVICES: Readonly<Record<string, (id: string, more: string) => string>> = {
  youtube: (id) => (/^https?:/.test(id) ? id : `https://www.youtube.com/watch?v=${id}`),
  vimeo: (id) => (/^https?:/.test(id) ? id : `https://vimeo.com/${id}`),
  gist: (user, id) =>
    /^https?:/.test(user) ? user : `https://gist.github.com/${user}${id === "" ? "" : `/${id}`}`,
  tweet: (id, more) =>
    /^https?:/.test(id) ? id : `https://x.com/${more === "" ? "i" : id}/status/${more === "" ? id : more}`,
  twitter: (id) => (/^https?:/.test(id) ? id : `https://x.com/i/status/${id}`),
  x: (id, more) => `https://x.com/${more === "" ? "i" : id}/status/${more === "" ? id : more}`,
  instagram: (id) => (/^https?:/.test(id) ? id : `https://www.instagram.com/p/${id}/`),
  codepen: (id) => id,
  embed: (id) => id,
  github: (id) => (/^https?:/.test(id) ? id : `https://github.com/${id}`),
  link: (id) => id
}

const serviceUrl = (name: string, values: ReturnType<typeof argumentsOf>): string | undefined => {
  if (!Object.hasOwn(SERVICES, name)) return undefined
  const id = values.plain[0] ?? values.named.get("id") ?? values.named.get("url") ?? ""
  const url =
    id === ""
      ? ""
      : (SERVICES[name] as (id: string, more: string) => string)(
          values.named.get("user") ?? id,
          values.plain[1] ?? (values.named.has("user") ? id : "")
        )
  return /^https?:\/\/\S+$/.test(url) ? url : undefined
}

/** Fences of `{% highlight js %}` and `{{< highlight js >}}`. */
const highlights: Change = (text, { note }) => {
  const fence = (inner: string, open: RegExpExecArray) => {
    note("shortcode_converted", "highlight")
    return `\n\`\`\`\`\`${open[1] ?? ""}\n${inner.replace(/^\n/, "").replace(/\n$/, "")}\n\`\`\`\`\`\n`
  }
  const liquidFences = between(
    text,
    /\{%-?[ \t]{0,20}highlight[ \t]{1,20}([\w+#-]{1,40})[^%\n]{0,100}%\}/g,
    /\{%-?[ \t]{0,20}endhighlight[ \t]{0,20}-?%\}/g,
    fence
  )
  return between(
    liquidFences,
    /\{\{[<%][ \t]{0,20}highlight[ \t]{1,20}"?([\w+#-]{1,40})[^>%\n]{0,100}[>%]\}\}/g,
    /\{\{[<%][ \t]{0,20}\/[ \t]{0,20}highlight[ \t]{0,20}[>%]\}\}/g,
    fence
  )
}

/** A path without markup that a link can have. */
const pathOf = (text: string) => text.replaceAll(/["'\s]/g, "")

const liquid: Change = (text, dialect) => {
  if (!text.includes("{")) return text
  const { note } = dialect
  const comment = () => {
    note("comment_dropped")
    return ""
  }
  return between(
    text,
    /\{%-?[ \t]{0,20}comment[ \t]{0,20}-?%\}/g,
    /\{%-?[ \t]{0,20}endcomment[ \t]{0,20}-?%\}/g,
    comment
  )
    .replaceAll(/\{%-?\s{0,20}(?:end)?raw\s{0,20}-?%\}/g, "")
    .replaceAll(/\{\{\s{0,20}(?:site\.(?:base)?url)\s{0,20}(?:\|[^}\n]{0,100})?\}\}/g, "")
    .replaceAll(
      /\{\{\s{0,20}["']([^"'{}\n]{1,500})["']\s{0,20}\|\s{0,20}(?:relative_url|absolute_url)\s{0,20}\}\}/g,
      "$1"
    )
    .replaceAll(/\{%-?\s{0,20}(?:post_url|link)\s{1,20}([^%\n]{1,300}?)\s{0,20}-?%\}/g, (_, path: string) =>
      /^https?:/.test(path)
        ? embed(path, "", dialect)
        : (dialect.addressOf(pathOf(path)) ?? `./${pathOf(path)}`)
    )
    .replaceAll(
      /\{\{[<%]\s{0,20}(?:rel)?ref\s+([^>%\n]{1,300}?)\s{0,20}[>%]\}\}/g,
      (_, path: string) => dialect.addressOf(pathOf(path)) ?? `./${pathOf(path)}`
    )
    .replaceAll(/\{\{[<%]\s{0,20}figure\s+([^>%\n]{1,1000}?)\/?\s{0,20}[>%]\}\}/g, (_, given: string) => {
      const { named } = argumentsOf(given)
      const caption = (named.get("caption") ?? named.get("title") ?? "").replaceAll(/["\\]/g, "\\$&")
      note("shortcode_converted", "figure")
      return `![${(named.get("alt") ?? "").replaceAll(/[[\]\\]/g, "\\$&")}](<${named.get("src") ?? ""}>${caption === "" ? "" : ` "${caption}"`})`
    })
    .replaceAll(
      /\{(?:%-?|\{[<%])\s{0,20}([\w-]{1,40})\s+([^%>{}\n]{0,1000}?)\s{0,20}(?:-?%|\/?[%>]\})\}/g,
      (whole, name: string, given: string) => {
        const url = serviceUrl(name.toLowerCase(), argumentsOf(given))
        return url === undefined ? whole : embed(url, "", dialect)
      }
    )
    .replaceAll(/\{%[^%\n]{0,2000}%\}|\{\{[^{}\n]{0,2000}\}\}/g, (whole) => {
      note("shortcode_dropped", whole)
      return ""
    })
}

/** Comments, links and pictures of Obsidian. */
const obsidian: Change = (text, { addressOf, note }) =>
  between(text, /%%/g, /%%/g, (inner) => {
    note("comment_dropped", inner)
    return ""
  })
    .replaceAll(/!\[\[([^[\]|\n]{1,300})(?:\|([^[\]\n]{0,300}))?\]\]/g, (_, name: string, size = "") => {
      const address = addressOf(name.replace(/#.*$/, "").trim())
      if (/\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i.test(name.trim())) {
        const alt = /^\d+(?:x\d+)?$/.test(size) ? "" : size
        return `![${alt.replaceAll(/[[\]\\]/g, "\\$&")}](<${address ?? name.trim()}>)`
      }
      note("wikilink_converted", name)
      return address === undefined ? name.trim() : linkOf(name.trim(), address)
    })
    .replaceAll(
      /\[\[([^[\]|\n]{1,300})(?:\\?\|([^[\]\n]{1,300}))?\]\]/g,
      (_, name: string, words?: string) => {
        const [note_ = "", heading = ""] = name.split("#")
        const address = note_.trim() === "" ? undefined : addressOf(note_.trim())
        const label = (words ?? [note_, heading].filter((it) => it !== "").join(" › ")).trim()
        note("wikilink_converted", name)
        return address === undefined ? label.replaceAll(/[[\]\\]/g, "\\$&") : linkOf(label, address)
      }
    )
    .replaceAll(/[ \t]\^[a-z0-9-]{1,40}(?=\r?\n|$)/gi, "")
    .replaceAll(/==(?=\S)((?:(?!==)[^\n]){1,500}?)(?<=\S)==/g, (_, words: string) => {
      note("style_dropped", "mark")
      return words
    })

const CALLOUT = /^((?:[ \t]{0,3}>)+[ \t]?)\[!([\w-]{1,30})(?:\|[^\]\n]{0,30})?\][+-]?[ \t]*(.*)$/

const named = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`

/** Boxes of Obsidian, GitHub, Docusaurus and Quarto become quotations with a bold first line. */
const callouts: Change = (text, { note }) => {
  if (!text.includes("[!") && !text.includes(":::")) return text
  const result: Array<string> = []
  let boxes = 0
  for (const line of text.split("\n")) {
    const opened =
      /^ {0,3}:{3,}[ \t]*(?:\{[^}]{0,200}?\.callout-(\w{1,20})[^}]{0,200}\}|([a-z]{2,20}))(?:[ \t]+([^\n{[]{0,200}))?[ \t\r]*$/.exec(
        line
      )
    const title = /^ {0,3}:{3,}[ \t]*[a-z]{2,20}\[([^\]]{1,200})\]/.exec(line)?.[1]
    if (opened !== null || title !== undefined) {
      note("callout_quote")
      const word = opened?.[3]?.trim() || title || named(opened?.[1] ?? opened?.[2] ?? "note")
      boxes++
      result.push(...(boxes === 1 ? ["", `> **${word}**`, ">"] : [`> **${word}**`, ">"]))
      continue
    }
    if (boxes > 0 && /^ {0,3}:{3,}[ \t\r]*$/.test(line)) {
      boxes--
      if (boxes === 0) result.push("")
      continue
    }
    const callout = CALLOUT.exec(line)
    if (callout !== null) {
      note("callout_quote")
      const [, marks = "> ", kind = "", words = ""] = callout
      result.push(`${marks}**${words.trim() || named(kind)}**`, marks.trimEnd())
    } else result.push(boxes > 0 ? `> ${line}` : line)
  }
  return result.join("\n")
}

const tasks: Change = (text, { note }) =>
  text.replaceAll(
    /^([ \t>]{0,200}(?:[-*+]|\d{1,9}[.)])[ \t]{1,20})\[([ xX])\](?=[ \t])/gm,
    (_, item: string, box: string) => {
      note("task_list_plain")
      return `${item}${box === " " ? "☐" : "☑"}`
    }
  )

/** Attributes and ids of kramdown, Pandoc and MDX, which are no text. */
const attributes: Change = (text, { isMdx, note }) => {
  const plain = text
    .replaceAll(/^[ \t]*\{:[^}\n]{0,500}\}[ \t]*$/gm, "")
    .replaceAll(/\{:[ \t]*[.#][^}\n]{0,500}\}/g, "")
    .replaceAll(/^(#{1,6}[ \t][^\n{]{1,500}?)[ \t]{0,20}\{#[\w-]{1,100}\}[ \t]*$/gm, "$1")
  if (!isMdx) return plain
  const withoutImports = plain.replaceAll(
    /^(?:import[ \t]+(?:[^\n]{1,500}[ \t]from[ \t]+)?["'][^"'\n]{1,300}["'];?|export[ \t]+(?:const|default|let)\b[^\n]{0,2000})[ \t]*$/gm,
    (line) => {
      note("shortcode_dropped", line)
      return ""
    }
  )
  return between(withoutImports, /\{\/\*/g, /\*\/\}/g, () => {
    note("comment_dropped")
    return ""
  })
}

/** Formulas in lines of their own. */
const math: Change = (text, { note }) => {
  const fence = (inner: string) => {
    const tex = inner.trim()
    if (tex === "") return undefined
    note("math_code")
    return `\n\`\`\`tex\n${tex}\n\`\`\`\n`
  }
  const dollars = between(text, /^[ \t]{0,3}\$\$/gm, /\$\$[ \t]{0,20}$/gm, fence)
  return between(dollars, /^[ \t]{0,3}\\\[[ \t]{0,20}$/gm, /^[ \t]{0,3}\\\][ \t]{0,20}$/gm, fence)
}

/** Blocks of Dataview, which are programs. */
const dataview = (text: string, note: Note) =>
  between(text, /^```dataview(?:js)?[ \t]{0,20}$/gm, /^```[ \t]{0,20}$/gm, () => {
    note("comment_dropped", "dataview")
    return ""
  })

/** Marks of a dialect. Text without any of them is left alone without being parsed. */
const FENCES = /\$\$|\\\[|highlight/
const MARKS = /[{^]|\[\[|%%|==|\[!|:::|\[[ xX]\]/
const MDX = /^(?:import|export)[ \t]/m

/** Turns the dialects of note programs and site generators into Markdown, and touches nothing within code. Throws `TooComplex`. */
export const plainMarkdown = (source: string, dialect: Dialect): string => {
  const text = source.includes("```dataview") ? dataview(source, dialect.note) : source
  const fenced = FENCES.test(text) ? outsideCode(text, (it) => math(highlights(it, dialect), dialect)) : text
  if (!MARKS.test(fenced) && !(dialect.isMdx && MDX.test(fenced))) return fenced
  return outsideCode(fenced, (it) =>
    [liquid, obsidian, callouts, tasks, attributes].reduce((all, change) => change(all, dialect), it)
  )
}
