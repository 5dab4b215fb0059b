import { DateTime, Effect, Stream } from "effect"
import { isTooDeep } from "../../../../../schemas/platform/jsonBounds.ts"
import { splitTree } from "../../conversion/html/htmlTree.ts"
import { EmbeddedPictures } from "../../conversion/html/walk.ts"
import { Report } from "../../conversion/report.ts"
import type { ImportFailure, ImportFile, ImportOptions, ImportReading, ItemStop } from "../../ImportedItem.ts"
import { failure, ITEMS_MAX, SOURCE_CHARS_MAX } from "../item/failures.ts"
import { htmlSections, nodesOf } from "../item/htmlSections.ts"
import { itemAt } from "../item/itemAt.ts"
import { pictureEntries } from "../item/pictures.ts"
import type { ItemContext, SourcePost } from "../item/SourcePost.ts"
import { cleanText, decodedText } from "../item/text.ts"
import { type CardValues, isRecord, PAYWALL, text } from "./cards.ts"
import { lexicalHtml } from "./lexical.ts"
import { mobiledocHtml } from "./mobiledoc.ts"

/** Bytes of the JSON of a whole site, and its levels, at most. */
const JSON_BYTES_MAX = 128 * 1024 * 1024
const JSON_LEVELS_MAX = 64

/** The tables of an export. */
export type GhostData = Readonly<Record<string, unknown>>

/** Returns the tables of an export of Ghost, or undefined for other JSON. */
export const ghostDataOf = (value: unknown): GhostData | undefined => {
  if (!isRecord(value)) return undefined
  const first = Array.isArray(value["db"]) ? value["db"][0] : value
  const data = isRecord(first) ? first["data"] : undefined
  return isRecord(data) && Array.isArray(data["posts"]) ? data : undefined
}

/** Reads JSON of a file. */
export const jsonOf = (file: ImportFile, name: string): Effect.Effect<unknown, ImportFailure> =>
  Effect.flatMap(file.bytes(name, JSON_BYTES_MAX), (bytes) => {
    if (isTooDeep(bytes, JSON_LEVELS_MAX))
      return Effect.fail(failure("too_deep", "The JSON of the file nests more than 64 levels deep."))
    return Effect.try({
      try: (): unknown => JSON.parse(decodedText(bytes).text.replace(/^\uFEFF/, "")),
      catch: () => failure("damaged", "The JSON of the file is damaged: it ends too early or is not JSON.")
    })
  })

const rowsOf = (data: GhostData, name: string): ReadonlyArray<CardValues> =>
  Array.isArray(data[name]) ? data[name].filter(isRecord) : []

/** Groups what belongs to posts: rows by the id of their post, in their order. */
const grouped = (rows: ReadonlyArray<CardValues>): ReadonlyMap<string, ReadonlyArray<CardValues>> => {
  const groups = new Map<string, Array<CardValues>>()
  for (const row of rows) {
    const id = text(row, "post_id")
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [row])
    else group.push(row)
  }
  return groups
}

interface Tables {
  readonly namesOf: (table: "tags" | "users", id: string) => ReadonlyArray<string>
  readonly metaOf: (id: string) => CardValues
}

const tablesOf = (data: GhostData): Tables => {
  const names = (table: string) =>
    new Map(rowsOf(data, table).map((row) => [text(row, "id"), text(row, "name")]))
  const byId = { tags: names("tags"), users: names("users") }
  const links = { tags: grouped(rowsOf(data, "posts_tags")), users: grouped(rowsOf(data, "posts_authors")) }
  const metas = new Map(rowsOf(data, "posts_meta").map((row) => [text(row, "post_id"), row]))
  const order = (row: CardValues) => Number(text(row, "sort_order")) || 0
  return {
    namesOf: (table, id) =>
      (links[table].get(id) ?? [])
        .toSorted((a, b) => order(a) - order(b))
        .map((row) => byId[table].get(text(row, table === "tags" ? "tag_id" : "author_id")) ?? "")
        .filter((name) => name !== "" && !name.startsWith("#")),
    metaOf: (id) => metas.get(id) ?? {}
  }
}

const parsed = (json: string): unknown => {
  if (json === "" || isTooDeep(json, JSON_LEVELS_MAX)) return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** Returns the text of a post as HTML: as it was shown, or as its editor keeps it. */
const htmlOf = (row: CardValues, isWalled: boolean, report: Report): string => {
  const html = text(row, "html")
  if (html !== "" && (!isWalled || html.includes(PAYWALL))) return html
  const unknown = (name: string) => report.add("card_unknown", isWalled ? "paid" : "meta", name)
  const edited =
    text(row, "lexical") === ""
      ? mobiledocHtml(parsed(text(row, "mobiledoc")), unknown)
      : lexicalHtml(parsed(text(row, "lexical")), unknown)
  // The page says more than its editor keeps, unless that alone has the paywall.
  return html === "" || (isWalled && edited.includes(PAYWALL)) ? edited : html
}

const FIRST = "<!--members-only-first-->"

/** Splits HTML where Ghost does, at the first mark in its characters; the elements around it stand on both sides. */
const treesOf = (html: string, isWalled: boolean) => {
  if (!isWalled) return { free: nodesOf(html), paid: [] }
  const at = html.indexOf(PAYWALL)
  if (at < 0) return { free: [], paid: nodesOf(html) }
  const [before, after] = [html.slice(0, at), html.slice(at + PAYWALL.length)]
  const split = splitTree(
    nodesOf(before + FIRST + after),
    (node) => node.type === "comment" && node.value === "members-only-first"
  )
  // A mark that the parser does not see, as within an attribute.
  return { free: nodesOf(before), paid: split?.after ?? nodesOf(after) }
}

/** Dates are texts or, in old exports, milliseconds. */
const dateIn = (row: CardValues) => {
  const date = text(row, "published_at")
  const millis = /^\d{12,14}$/.test(date) ? DateTime.make(Number(date)) : undefined
  if (millis?._tag === "Some") return DateTime.formatIso(millis.value)
  // Ghost writes UTC.
  return /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(?:\.\d+)?$/.test(date) ? `${date}Z` : date
}

const stopOf = (row: CardValues, isTooLong: boolean): ItemStop | null => {
  if (isTooLong) return { outcome: "refused", code: "source_too_long" }
  const type = text(row, "type")
  if (type === "page" || text(row, "page") === "1" || row["page"] === true)
    return { outcome: "skipped", code: "page" }
  return type === "" || type === "post" ? null : { outcome: "skipped", code: "other_type" }
}

const postOf = (row: CardValues, tables: Tables, { membersOnly }: ImportOptions): SourcePost => {
  const report = new Report()
  const pictures = new EmbeddedPictures()
  const id = text(row, "id")
  const meta = tables.metaOf(id)
  const word = text(row, "visibility")
  // Exports from before members have no such word.
  const isPublic =
    word === "public" || (!Object.hasOwn(row, "visibility") && !Object.hasOwn(row, "email_recipient_filter"))
  const isOpened = word === "members" && membersOnly === "free"
  const isWalled = !isPublic && !isOpened
  if (isWalled) report.add("access_walled", "meta", word || "visibility")
  else if (isOpened) report.add("access_opened", "meta", word)
  const html = htmlOf(row, isWalled, report)
  const isTooLong = html.length > SOURCE_CHARS_MAX
  const cleaned = isTooLong ? "" : cleanText(html)
  if (!isTooLong && cleaned.length < html.length) report.add("characters_removed", isWalled ? "paid" : "free")
  const status = text(row, "status")
  const isMailed = status === "sent" || meta["email_only"] === 1 || meta["email_only"] === true
  if (isMailed) report.add("email_only", "meta")
  const slug = text(row, "slug")
  return {
    kind: "ghost",
    sourceId: text(row, "uuid") || `id:${id || slug}`,
    sourcePath: null,
    sourceUrl: slug === "" ? null : `/${slug}/`,
    authors: tables.namesOf("users", id),
    title: text(row, "title") === "(Untitled)" ? "" : cleanText(text(row, "title")),
    slug: /^untitled(?:-\d+)?$/.test(slug) ? "" : slug,
    status: isMailed
      ? "draft"
      : status === "published"
        ? "published"
        : status === "scheduled"
          ? "scheduled"
          : "draft",
    date: dateIn(row),
    description:
      text(row, "custom_excerpt") || text(meta, "meta_description") || text(row, "meta_description"),
    canonicalUrl: text(row, "canonical_url"),
    language: text(row, "locale"),
    tags: tables.namesOf("tags", id),
    cover: text(row, "feature_image", "image"),
    ogTitle: text(meta, "og_title") || text(row, "og_title"),
    ogDescription: text(meta, "og_description") || text(row, "og_description"),
    commentsEnabled: null,
    access: isWalled ? "paid" : "free",
    ...htmlSections(treesOf(cleaned, isWalled), report, pictures),
    stop: stopOf(row, isTooLong),
    aliases: slug === "" ? [] : [`/${slug}/`, `/p/${text(row, "uuid")}/`],
    hashed: [
      text(row, "html"),
      text(row, "lexical"),
      text(row, "mobiledoc"),
      text(row, "title"),
      slug,
      status,
      word,
      text(row, "published_at"),
      text(row, "custom_excerpt"),
      text(row, "feature_image"),
      meta,
      tables.namesOf("tags", id)
    ],
    report,
    pictures
  }
}

/** Reads the tables of an export of Ghost, versions 3 to 6. */
export const ghostReading = (
  data: GhostData,
  file: ImportFile,
  options: ImportOptions,
  now: number
): Effect.Effect<ImportReading, ImportFailure> => {
  const rows = rowsOf(data, "posts")
  if (rows.length > ITEMS_MAX)
    return Effect.fail(failure("too_many", `The file has ${rows.length} posts. At most 100,000 can be read.`))
  const settings = new Map(rowsOf(data, "settings").map((row) => [text(row, "key"), text(row, "value")]))
  const site = {
    title: settings.get("title") ?? null,
    url: null,
    language: settings.get("locale") ?? settings.get("lang") ?? settings.get("default_locale") ?? null
  }
  const tables = tablesOf(data)
  const context: ItemContext = {
    site,
    options,
    now,
    entries: pictureEntries(file),
    isBetweenFiles: false,
    authors: new Set()
  }
  return Effect.succeed({
    kind: "ghost",
    site,
    total: rows.length,
    items: Stream.fromIterable(rows.entries()).pipe(
      Stream.mapEffect(([ordinal, row]) =>
        itemAt(
          ordinal,
          context,
          { kind: "ghost", path: null, title: text(row, "title") },
          Effect.sync(() => postOf(row, tables, options))
        )
      )
    )
  })
}
