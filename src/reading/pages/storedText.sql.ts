import { publicText } from "../../publishing/discovery/summary.ts"

/**
 * Version of the HTML of texts. Add one whenever the same Markdown renders to other HTML: readers then get no stored HTML of
 * an earlier version, and the worker renders all texts anew within a day.
 */
export const TEXT_VERSION = 1

/** The join of `posts p` to what is stored for its page: `t`. */
export const storedTextJoin = `left join page_texts t on t.id = p.id and t.version = ${TEXT_VERSION}`

/** The public text of a Post: stored HTML with its number of words, or Markdown, or neither. */
export interface PublicText {
  readonly html: string | null
  readonly words: number | null
  readonly public_text: string | null
}

/** Columns of a public text, and the join that they need. */
export interface TextColumns {
  readonly columns: string
  readonly join: string
}

/** For a reader that has the text. */
export const NO_TEXT: TextColumns = {
  columns: "null::text as html, null::integer as words, null::text as public_text",
  join: ""
}
/** For feeds and the worker, which render it. */
export const MARKDOWN: TextColumns = {
  columns: `null::text as html, null::integer as words, ${publicText} as public_text`,
  join: ""
}
/** For pages: Markdown is read only where no HTML is stored. */
export const STORED_OR_MARKDOWN: TextColumns = {
  columns: `t.html, t.words, case when t.id is null then ${publicText} end as public_text`,
  join: storedTextJoin
}
