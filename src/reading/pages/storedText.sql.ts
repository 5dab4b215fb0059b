/**
 * Version of the HTML of texts. Add one whenever the same Markdown renders to other HTML: readers then get no stored HTML of
 * an earlier version, and the worker renders all texts anew within a day.
 */
export const TEXT_VERSION = 1

/** The join of `posts p` to what is stored for its page: `t`. */
export const storedTextJoin = `left join page_texts t on t.id = p.id and t.version = ${TEXT_VERSION}`
