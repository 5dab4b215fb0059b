import type { Marks, Nodes } from "../nodes.ts"
import type { Report, ReportCode } from "../report.ts"
import type { HtmlFootnotes } from "./footnotes.ts"
import type { HtmlNode } from "./htmlTree.ts"

/** Bytes of one picture within the text, in base64, at most; and pictures of one item. */
const EMBEDDED_CHARS_MAX = Math.ceil((5 * 1024 * 1024 * 4) / 3)
const EMBEDDED_MAX = 64

/** A picture that stood in the text. */
export interface EmbeddedPicture {
  readonly data: string
  readonly type: string
}

/** Pictures that stood in the text of one item, by the address that replaces them. */
export class EmbeddedPictures {
  readonly byUrl = new Map<string, EmbeddedPicture>()

  /** Returns the address of a picture in base64, or undefined for other data and too much of it. */
  add(url: string): string | undefined {
    const comma = url.indexOf(",")
    const head = /^data:(image\/[\w.+-]{1,40})(?:;[\w=-]{1,40}){0,3};base64$/i.exec(
      url.slice(0, Math.max(0, comma)).trim()
    )
    if (head === null || url.length > EMBEDDED_CHARS_MAX || this.byUrl.size >= EMBEDDED_MAX) return undefined
    const data = url.slice(comma + 1).replaceAll(/\s/g, "")
    const type = (head[1] as string).toLowerCase()
    const ending = type.slice(6).replace("jpeg", "jpg").replace(/\+.*$/, "")
    for (const [known, picture] of this.byUrl) if (picture.data === data) return known
    const name = `./embedded-picture-${this.byUrl.size + 1}.${ending}`
    this.byUrl.set(name, { data, type })
    return name
  }
}

/** The place of a conversion: its section, and what it reports. */
export interface Conversion {
  readonly section: "free" | "paid"
  readonly report: Report
  readonly pictures: EmbeddedPictures
}

/** The state of one walk. */
export interface Walk extends Conversion {
  readonly footnotes: HtmlFootnotes
  readonly note: (code: ReportCode, excerpt?: string) => void
  readonly flow: (nodes: ReadonlyArray<HtmlNode>, marks?: Marks, depth?: number) => Nodes
  readonly blocks: (nodes: ReadonlyArray<HtmlNode>, depth?: number) => Nodes
}
