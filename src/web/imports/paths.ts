import type { Import } from "../../../schemas/publishing/imports/Import.ts"
import type { Item, ItemOutcome } from "../../../schemas/publishing/imports/Item.ts"
import { DESK } from "../browser/paths.ts"

/** The path of the page on which authors bring their posts. */
export const IMPORT = `${DESK}/import` as const

/** Returns the path of an import. */
export const importPath = (id: Import["id"]): string => `${IMPORT}/${id}`

/** Returns the path of an item as it will look. */
export const itemPath = (id: Import["id"], item: Item["id"]): string => `${importPath(id)}/${item}`

/** The lists of items that an author chooses from. */
export const SHOWS = {
  all: "All",
  ready: "Ready",
  otherwise: "Said otherwise",
  lost: "With losses",
  drafts: "Drafts made",
  left: "Not brought"
} as const
export type Show = keyof typeof SHOWS

/** The items of a list, in the terms of the API. A list of several outcomes is several lists there, and takes the first. */
export const QUERIES: Readonly<
  Record<Show, { readonly outcome?: ItemOutcome; readonly severity?: Item["report"][number]["severity"] }>
> = {
  all: {},
  ready: { outcome: "new" },
  otherwise: { severity: "changed" },
  lost: { severity: "lost" },
  drafts: { outcome: "created" },
  left: { severity: "stop" }
}

const isShow = (text: string): text is Show => Object.hasOwn(SHOWS, text)

/** Returns the list that a query names; all items for any other. */
export const showOf = (text: string | null): Show => (text !== null && isShow(text) ? text : "all")

/** Returns the path of a list of items, after one of them. */
export const listPath = (id: Import["id"], show: Show, after?: string): string => {
  const query = new URLSearchParams({
    ...(show === "all" ? {} : { show }),
    ...(after === undefined ? {} : { after })
  })
  return query.size === 0 ? importPath(id) : `${importPath(id)}?${query}`
}
