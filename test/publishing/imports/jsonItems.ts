import { Effect, Stream } from "effect"
import {
  type ImportedItem,
  ImportFailure,
  type ItemDraft,
  type ReadImport,
  type ReportLine
} from "../../../src/publishing/imports/ImportedItem.ts"

/** An item of a file of the tests; what it leaves out is plain. */
export interface SomeItem extends Partial<Omit<ImportedItem, "draft" | "ordinal">> {
  readonly draft?: Partial<ItemDraft>
  /** Ends the reading in its place. */
  readonly failure?: ImportFailure["code"]
}

const draft: ItemDraft = {
  title: "A title",
  description: "About a penny",
  slug: null,
  canonicalUrl: null,
  language: null,
  categoryIds: [null, null],
  ogTitle: null,
  ogDescription: null,
  commentsEnabled: null,
  accessKind: "free",
  freeContent: "Words for everyone",
  paidContent: "",
  priceXno: null,
  creationMethod: null,
  creationDetails: null,
  creationAttested: false
}

/** Makes the file of items: a line of JSON for each. */
export const fileOf = (items: ReadonlyArray<SomeItem>): Uint8Array =>
  new TextEncoder().encode(items.map((item) => JSON.stringify(item)).join("\n"))

const stopLine = (code: string): ReportLine => ({
  severity: "stop",
  code,
  section: "meta",
  line: null,
  column: null,
  excerpt: "",
  message: "It is not brought"
})

const itemOf = (given: SomeItem, ordinal: number): ImportedItem => ({
  ordinal,
  sourceId: `source-${ordinal}`,
  sourcePath: null,
  sourceUrl: null,
  kind: "markdown",
  author: null,
  title: given.draft?.title ?? draft.title,
  slug: `post-${ordinal}`,
  status: "published",
  datedAt: null,
  access: given.draft?.accessKind ?? "free",
  stop: null,
  images: [],
  links: [],
  attachments: [],
  native: null,
  aliases: [],
  oldPaths: [],
  report: given.stop ? [stopLine(given.stop.code)] : [],
  unreported: 0,
  sha256: JSON.stringify(given),
  ...given,
  draft: { ...draft, ...given.draft }
})

/** The entry of an archive that has the items; its other entries are pictures. */
export const ITEMS = "items.jsonl"

/** Reads such files, so that a test says exactly which items a file has. */
export const readJsonItems: ReadImport = Effect.fnUntraced(function* (file) {
  const name = file.isArchive ? ITEMS : file.fileName
  const text = new TextDecoder().decode(yield* file.bytes(name, 64 * 1024 * 1024))
  if (!text.startsWith("{"))
    return yield* new ImportFailure({ code: "unknown_form", message: "The file has no items" })
  const items: ReadonlyArray<SomeItem> = text.split("\n").map((line) => JSON.parse(line))
  const damage = items.findIndex(({ failure }) => failure !== undefined)
  const whole = damage === -1 ? items : items.slice(0, damage)
  const failing = Stream.fail(
    new ImportFailure({ code: items[damage]?.failure ?? "damaged", message: "The file is damaged here" })
  )
  const read = Stream.fromIterable(whole.map(itemOf))
  return {
    kind: "markdown",
    site: { title: "An old site", url: "https://old.test", language: null },
    total: whole.length,
    items: damage === -1 ? read : Stream.concat(read, failing)
  }
})
