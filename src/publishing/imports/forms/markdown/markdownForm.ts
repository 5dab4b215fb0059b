import { Effect, Stream } from "effect"
import { LINE_ENDING } from "../../../content/parser/lineEndings.ts"
import { TooComplex } from "../../../content/parser/parserLimits.ts"
import { wordsOf } from "../../../content/reading/excerpt.ts"
import { EmbeddedPictures } from "../../conversion/html/walk.ts"
import { placedSource } from "../../conversion/markdown/codeRanges.ts"
import { markdownSection } from "../../conversion/markdown/markdownSection.ts"
import { blocksFrom, hardBreak, type Nodes, textNode } from "../../conversion/nodes.ts"
import { Report } from "../../conversion/report.ts"
import type { ImportFile, ImportOptions, ImportReading, ItemStop } from "../../ImportedItem.ts"
import { SOURCE_CHARS_MAX, textOf } from "../item/failures.ts"
import { itemAt } from "../item/itemAt.ts"
import { pictureEntries, sharedFolder } from "../item/pictures.ts"
import type { ItemContext, SourcePost, SourceSection } from "../item/SourcePost.ts"
import { cleanText, comparable } from "../item/text.ts"
import {
  frontMatterOf,
  type FrontMatterText,
  isMembers,
  listMember,
  type Members,
  textMember,
  truthMember
} from "./frontMatter.ts"
import { dateIn, markdownEntries, nameOf, notesOf, rootPath, SOLD, SOLD_NAME } from "./textNames.ts"
import { walledMarkdown, type WalledText, wallWord } from "./walls.ts"

/** Lines of plain text as they stand. */
const plainLines = (text: string): Nodes =>
  text
    .split(/\n[ \t]*\n/)
    .flatMap((part) =>
      blocksFrom(
        part.split("\n").flatMap((line, at) => (at === 0 ? [textNode(line)] : [hardBreak, textNode(line)]))
      )
    )

interface Titled {
  readonly heading: string
  readonly body: string
}

/** Takes the first heading out of a text if it is the title, or if the text has no title. */
const withoutHeading = (source: string, title: string): Titled | undefined => {
  if (!/^\s*(?:#|.{1,400}\r?\n[ \t]{0,3}(?:=+|-+)[ \t]*(?:\r?\n|$)|<h1)/i.test(source.slice(0, 2000)))
    return undefined
  try {
    const [first] = placedSource(source).blocks
    if (first?.node.type !== "heading") return undefined
    const heading = wordsOf(first.node).replaceAll(/\s+/g, " ").trim()
    if (title !== "" && comparable(heading) !== comparable(title)) return undefined
    return { heading, body: source.slice(0, first.start) + source.slice(first.end) }
  } catch (error) {
    if (!(error instanceof TooComplex)) throw error
    return undefined
  }
}

const stopOf = (path: string, members: Members): ItemStop | null => {
  const name = path.slice(path.lastIndexOf("/") + 1)
  if (/^_index\.|^404\./i.test(name) || /^page$/i.test(textMember(members, "layout", "type")))
    return { outcome: "skipped", code: "page" }
  return /^(?:readme|license|changelog|contributing)\./i.test(name) && members.size === 0
    ? { outcome: "skipped", code: "other_type" }
    : null
}

/** Returns the line of a text in which a part of it begins; undefined when it is no part of it. */
const lineOf = (text: string, part: string): number | undefined => {
  const begun = part.trimStart()
  const at = text.lastIndexOf(begun)
  const linesOf = (before: string) => [...before.matchAll(LINE_ENDING)].length
  // A heading that was taken out leaves blank lines.
  return at === -1 ? undefined : linesOf(text.slice(0, at)) - linesOf(part.slice(0, -begun.length)) + 1
}

const emptySection: SourceSection = { markdown: "", isFlattened: false }

interface TextFile {
  readonly path: string
  readonly text: string
  readonly isGuessed: boolean
  /** True in a folder of paid texts, such as that of our own export. */
  readonly isSold: boolean
  /** True for a file without a folder that would say whether it is paid. */
  readonly isAlone: boolean
}

const postOf = (file: TextFile, shared: string, notes: ReadonlyMap<string, string | null>): SourcePost => {
  const { path } = file
  const report = new Report()
  const pictures = new EmbeddedPictures()
  const cleaned = cleanText(file.text)
  if (cleaned.length < file.text.replace(/^\uFEFF/, "").length) report.add("characters_removed", "meta")
  if (file.isGuessed) report.add("encoding_guessed", "meta")
  const isText = /\.txt$/i.test(path)
  const front = frontMatterOf(cleaned)
  // Plain text has no front matter, but one that says what is paid is believed.
  const { body, isRepaired, members }: FrontMatterText = isText
    ? { body: cleaned, members: new Map(), isRepaired: false, wall: undefined }
    : front
  if (isRepaired) report.add("front_matter_repaired", "meta")
  const isTooLong = body.length > SOURCE_CHARS_MAX
  const said = front.wall ?? wallWord(front.members) ?? (file.isSold ? "paid/" : undefined)
  // A marker splits nothing where the end of the front matter is not known for sure.
  const walled: WalledText | undefined =
    isTooLong || front.wall !== undefined || file.isSold || (isText && said !== undefined)
      ? undefined
      : walledMarkdown(body)
  // A section has no marker.
  const mayBeSold =
    file.isAlone &&
    SOLD_NAME.test(path.slice(shared.length)) &&
    front.members.size === 0 &&
    (said ?? walled) === undefined
  const word = mayBeSold ? "paid/" : said
  const sides = walled ?? (word === undefined ? { free: body, paid: "" } : { free: "", paid: body })
  const isPaid = word !== undefined || walled !== undefined
  if (mayBeSold) report.add("access_assumed", "meta")
  else if (isPaid) report.add("access_walled", "meta", word ?? "<!--paid-->")
  const title = textMember(members, "title")
  const titled = isText ? undefined : withoutHeading(sides.free, title)
  if (titled !== undefined) report.add("heading_removed", "free", titled.heading)
  const section = (source: string, name: "free" | "paid"): SourceSection => {
    if (source.trim() === "" || isTooLong) return emptySection
    if (isText) return plainLines(source)
    const addressOf = (note: string) => {
      const key = note.toLowerCase().replaceAll("\\", "/")
      const entry = notes.get(key) ?? notes.get(`${shared.toLowerCase()}${key}`)
      return entry === undefined || entry === null ? undefined : rootPath(entry)
    }
    const dialect = {
      note: (code: Parameters<Report["add"]>[0], excerpt = "") => report.add(code, name, excerpt),
      addressOf,
      isMdx: /\.mdx$/i.test(path)
    }
    return markdownSection(source, dialect, { section: name, report, pictures }, lineOf(cleaned, source))
  }
  const permalink = textMember(members, "permalink", "url")
  const image = members.get("image") ?? members.get("cover")
  const cover = isMembers(image)
    ? textMember(image, "src", "url", "image", "path", "feature")
    : textMember(
        members,
        "image",
        "cover",
        "cover_image",
        "heroImage",
        "ogImage",
        "featured_image",
        "feature_image",
        "thumbnail",
        "banner"
      )
  const isDraft =
    truthMember(members, "draft") === true ||
    truthMember(members, "published") === false ||
    /(?:^|\/)(?:_drafts|drafts)\//i.test(path) ||
    /^(?:draft|private)$/i.test(textMember(members, "status"))
  const date =
    textMember(members, "date", "datePublished", "published_at", "pubDate", "publishDate") ||
    (truthMember(members, "published") === null ? textMember(members, "published") : "") ||
    textMember(members, "created") ||
    dateIn(path)
  const id = textMember(members, "uuid", "id", "cuid")
  return {
    kind: "markdown",
    sourceId: id || path.slice(shared.length),
    sourcePath: path,
    sourceUrl: /^https?:\/\//i.test(permalink) || permalink.startsWith("/") ? permalink : null,
    authors: listMember(members, "author", "authors"),
    title: title || (titled?.heading ?? ""),
    slug:
      textMember(members, "slug") ||
      nameOf(path) ||
      (permalink.split("/").findLast((part) => part !== "") ?? ""),
    status: isDraft ? "draft" : "published",
    date,
    description: textMember(
      members,
      "excerpt",
      "description",
      "subtitle",
      "summary",
      "seoDescription",
      "brief"
    ),
    canonicalUrl: textMember(members, "canonical_url", "canonicalUrl", "canonical", "rel_canonical"),
    language: textMember(members, "lang", "language", "locale"),
    tags: [
      ...listMember(members, "categories", "category"),
      ...listMember(members, "tags", "tag", "keywords")
    ],
    cover,
    ogTitle: textMember(members, "ogTitle", "og_title"),
    ogDescription: textMember(members, "ogDescription", "og_description"),
    commentsEnabled: truthMember(members, "comments"),
    access: isPaid ? "paid" : "free",
    free: section(titled?.body ?? sides.free, "free"),
    paid: section(sides.paid, "paid"),
    stop: isTooLong ? { outcome: "refused", code: "source_too_long" } : stopOf(path, members),
    aliases: listMember(members, "aliases", "redirect_from", "permalink").filter(
      (it) => it.startsWith("/") || /^https?:/i.test(it)
    ),
    hashed: [path, file.text],
    report,
    pictures
  }
}

/** Reads a ZIP of Markdown, or one such file. */
export const markdownReading = (file: ImportFile, options: ImportOptions, now: number): ImportReading => {
  const names = markdownEntries(file)
  const shared = sharedFolder(file.entries.map(({ name }) => name))
  const notes = notesOf(file)
  const site = { title: null, url: null, language: null }
  const context: ItemContext = {
    site,
    options,
    now,
    entries: pictureEntries(file),
    isBetweenFiles: file.isArchive,
    authors: new Set()
  }
  // A browser may name an archive of a folder after it.
  const isAllSold = file.isArchive && /^_?paid[\s\d()._-]*\.zip$/i.test(file.fileName)
  // The kind `markdown` says that the file is no part of our own export.
  const isAlone = options.kind !== "markdown" && !file.isArchive
  const textAt = (path: string, ordinal: number) =>
    itemAt(
      ordinal,
      context,
      { kind: "markdown", path, title: "" },
      Effect.map(textOf(file, path), ({ isGuessed, text }) =>
        postOf({ path, text, isGuessed, isSold: isAllSold || SOLD.test(path), isAlone }, shared, notes)
      )
    )
  return {
    kind: "markdown",
    site,
    total: names.length,
    items: Stream.fromIterable(names.map((path, ordinal) => ({ path, ordinal }))).pipe(
      Stream.mapEffect(({ ordinal, path }) => textAt(path, ordinal))
    )
  }
}
