import { Effect, Stream } from "effect"
import { Csv } from "effect/encoding"
import {
  attribute,
  hasClass,
  type HtmlNode,
  htmlTree,
  splitTree,
  withoutNodes
} from "../../conversion/html/htmlTree.ts"
import { EmbeddedPictures } from "../../conversion/html/walk.ts"
import { linkNode, paragraph, type Nodes } from "../../conversion/nodes.ts"
import { Report } from "../../conversion/report.ts"
import type { ImportFailure, ImportFile, ImportOptions, ImportReading, ItemStop } from "../../ImportedItem.ts"
import { failure, ITEMS_MAX, SOURCE_CHARS_MAX, TEXT_BYTES_MAX, textOf } from "../item/failures.ts"
import { htmlSections } from "../item/htmlSections.ts"
import { itemAt } from "../item/itemAt.ts"
import { pictureEntries } from "../item/pictures.ts"
import type { ItemContext, SourcePost } from "../item/SourcePost.ts"
import { cleanText } from "../item/text.ts"

/** Bytes of the list of posts, and characters of a row, at most. */
const CSV_BYTES_MAX = 16 * TEXT_BYTES_MAX
const ROW_CHARS_MAX = 1024 * 1024

/** Returns true for the list of posts of an export of Substack. */
export const isPostList = (text: string): boolean => /^\uFEFF?"?post_id"?,"?post_date"?/.test(text)

type Row = ReadonlyMap<string, string>

/** Reads the rows of a list of posts by the names of their columns. */
const rowsOf = (text: string): Effect.Effect<ReadonlyArray<Row>, ImportFailure> =>
  Stream.make(text.replace(/^\uFEFF/, "")).pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ maxRecordSize: ROW_CHARS_MAX, ignoreEmptyLines: true })),
    Stream.runCollect,
    Effect.map(([header = [], ...rows]) =>
      rows.map((row) => new Map(header.map((name, at) => [name.trim(), row[at] ?? ""])))
    ),
    Effect.mapError(() =>
      failure("damaged", "The list of posts, posts.csv, is damaged or has a row of more than 1 MiB.")
    )
  )

const isWall = (node: HtmlNode) =>
  node.type === "element" &&
  (hasClass(node, "paywall-jump") || attribute(node, "data-component-name") === "PaywallToDOM")

/** Splits a post at its paywall. What a limit cut may have had the paywall, so all of it is paid then. */
const treesOf = (html: string, isWalled: boolean) => {
  const { isCut, nodes } = htmlTree(html)
  if (!isWalled) return { free: nodes, paid: [] }
  const split = isCut ? undefined : splitTree(nodes, isWall)
  return split === undefined
    ? { free: [], paid: nodes }
    : { free: split.before, paid: withoutNodes(split.after, isWall) }
}

interface PostFile {
  /** `12345.the-name` */
  readonly id: string
  readonly path: string | undefined
  readonly row: Row | undefined
}

const isAudience = (word: string) => /^[a-z_-]{1,40}$/i.test(word)

const stopOf = ({ path, row }: PostFile, isTooLong: boolean): ItemStop | null => {
  if (row === undefined) return { outcome: "refused", code: "row_missing" }
  if (path === undefined) return { outcome: "refused", code: "html_missing" }
  if (isTooLong) return { outcome: "refused", code: "source_too_long" }
  const type = row.get("type") ?? ""
  if (type === "thread" || type === "restack") return { outcome: "skipped", code: "response" }
  return type === "page" ? { outcome: "skipped", code: "page" } : null
}

const postOf = (
  file: PostFile,
  source: { readonly text: string; readonly isGuessed: boolean },
  { membersOnly }: ImportOptions
): SourcePost => {
  const report = new Report()
  const pictures = new EmbeddedPictures()
  const row: Row = file.row ?? new Map()
  const of = (name: string) => cleanText(row.get(name) ?? "").trim()
  const word = of("audience")
  const isOpened = word === "only_free" && membersOnly === "free"
  const isWalled = word !== "everyone" && !isOpened
  if (isWalled) report.add("access_walled", "meta", isAudience(word) ? word : "audience")
  else if (isOpened) report.add("access_opened", "meta", word)
  if (source.isGuessed) report.add("encoding_guessed", "meta")
  const isTooLong = source.text.length > SOURCE_CHARS_MAX
  const sections = htmlSections(treesOf(isTooLong ? "" : cleanText(source.text), isWalled), report, pictures)
  const podcast = of("podcast_url")
  const audio: Nodes = /^https?:\/\/\S+$/.test(podcast) ? [paragraph([linkNode("Audio", podcast)])] : []
  if (audio.length > 0) report.add("media_link", isWalled ? "paid" : "free", podcast)
  const dot = file.id.indexOf(".")
  const slug = dot < 0 ? "" : file.id.slice(dot + 1)
  return {
    kind: "substack",
    sourceId: dot < 0 ? file.id : file.id.slice(0, dot),
    sourcePath: file.path ?? null,
    sourceUrl: slug === "" ? null : `/p/${slug}`,
    authors: [],
    title: of("title"),
    slug,
    status: of("is_published").toLowerCase() === "true" ? "published" : "draft",
    date: of("post_date"),
    description: of("subtitle"),
    canonicalUrl: "",
    language: "",
    tags: [],
    cover: "",
    ogTitle: "",
    ogDescription: "",
    commentsEnabled: null,
    access: isWalled ? "paid" : "free",
    free: isWalled ? sections.free : [...audio, ...sections.free],
    paid: isWalled ? [...audio, ...sections.paid] : sections.paid,
    stop: stopOf(file, isTooLong),
    aliases: [],
    hashed: [source.text, [...row].filter(([name]) => !name.endsWith("sent_at"))],
    report,
    pictures
  }
}

const idOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.html?$/i, "")

/** Reads an export of Substack: its list of posts and their files. Nothing else of it is opened, as the rest is about readers. */
export const substackReading = (
  file: ImportFile,
  list: string,
  options: ImportOptions,
  now: number
): Effect.Effect<ImportReading, ImportFailure> =>
  Effect.gen(function* () {
    const rows = yield* Effect.flatMap(textOf(file, list, CSV_BYTES_MAX), ({ text }) => rowsOf(text))
    const folder = `${list.slice(0, list.lastIndexOf("/") + 1)}posts/`
    const paths = new Map(
      file.entries
        .filter(({ name }) => name.startsWith(folder) && /\.html?$/i.test(name))
        .map(({ name }) => [idOf(name), name])
    )
    const files: Array<PostFile> = rows
      .filter((row) => row.get("post_id"))
      .map((row) => ({ id: row.get("post_id") ?? "", row, path: paths.get(row.get("post_id") ?? "") }))
    const named = new Set(files.map(({ id }) => id))
    for (const [id, path] of paths) if (!named.has(id)) files.push({ id, path, row: undefined })
    if (files.length > ITEMS_MAX)
      return yield* failure("too_many", `The file has ${files.length} posts. At most 100,000 can be read.`)
    const site = { title: null, url: null, language: null }
    const context: ItemContext = {
      site,
      options,
      now,
      entries: pictureEntries(file),
      isBetweenFiles: false,
      authors: new Set()
    }
    const postAt = (post: PostFile, ordinal: number) =>
      itemAt(
        ordinal,
        context,
        { kind: "substack", path: post.path ?? null, title: "" },
        Effect.map(
          post.path === undefined ? Effect.succeed({ text: "", isGuessed: false }) : textOf(file, post.path),
          (source) => postOf(post, source, options)
        )
      )
    return {
      kind: "substack" as const,
      site,
      total: files.length,
      items: Stream.fromIterable(files.entries()).pipe(
        Stream.mapEffect(([ordinal, post]) => postAt(post, ordinal))
      )
    }
  })
