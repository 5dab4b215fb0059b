import { Effect, Stream } from "effect"
import {
  attribute,
  findElement,
  findElements,
  hasClass,
  type HtmlElement,
  type HtmlNode,
  htmlText,
  htmlTree,
  withoutNodes
} from "../../conversion/html/htmlTree.ts"
import { EmbeddedPictures } from "../../conversion/html/walk.ts"
import { Report } from "../../conversion/report.ts"
import type { ImportFile, ImportOptions, ImportReading } from "../../ImportedItem.ts"
import { SOURCE_CHARS_MAX, textOf } from "../item/failures.ts"
import { htmlSections } from "../item/htmlSections.ts"
import { itemAt } from "../item/itemAt.ts"
import { pictureEntries } from "../item/pictures.ts"
import type { ItemContext, SourcePost } from "../item/SourcePost.ts"
import { cleanText, type DecodedText } from "../item/text.ts"

/** Returns true for a story in an export of Medium. */
export const isStory = (text: string): boolean =>
  text.includes("h-entry") && text.includes('data-field="body"')

/** Returns the stories of an export, in its order. */
export const storyEntries = (file: ImportFile): ReadonlyArray<string> =>
  file.entries.map(({ name }) => name).filter((name) => /(?:^|\/)posts\/[^/]+\.html?$/i.test(name))

const comparable = (text: string) =>
  text
    .normalize("NFKC")
    .replaceAll(/[\s\p{P}]+/gu, " ")
    .trim()
    .toLowerCase()

const words = (element: HtmlElement | undefined) =>
  element === undefined ? "" : htmlText(element.children).replaceAll(/\s+/g, " ").trim()

const isTitle = (node: HtmlNode) =>
  node.type === "element" && (hasClass(node, "graf--title") || hasClass(node, "graf--subtitle"))

const isDivider = (node: HtmlNode | undefined) =>
  node?.type === "element" && hasClass(node, "section-divider")

/** Returns the body without what stands above it: the title, the subtitle and the line above the first section. */
const bodyOf = (body: HtmlElement | undefined): ReadonlyArray<HtmlNode> => {
  if (body === undefined) return []
  const first = findElement(
    body.children,
    (it) => it.name === "section" || hasClass(it, "section-content") || isDivider(it)
  )
  const divider =
    first === undefined
      ? undefined
      : isDivider(first)
        ? first
        : first.children.find((it) => it.type === "element")
  return withoutNodes(body.children, (node) => isTitle(node) || (node === divider && isDivider(node)))
}

const ID = /(?:^|[-_])([0-9a-f]{8,12})\.html?$/i

const postOf = (path: string, source: DecodedText, isFirst: boolean): SourcePost => {
  const report = new Report()
  const pictures = new EmbeddedPictures()
  const name = path.slice(path.lastIndexOf("/") + 1)
  const isTooLong = source.text.length > SOURCE_CHARS_MAX
  const { nodes } = htmlTree(isTooLong ? "" : cleanText(source.text))
  const field = (test: (element: HtmlElement) => boolean) => findElement(nodes, test)
  const body = field((it) => attribute(it, "data-field") === "body")
  const title = words(field((it) => hasClass(it, "p-name")))
  const subtitle = words(
    field((it) => attribute(it, "data-field") === "subtitle" || hasClass(it, "p-summary"))
  )
  const time = field((it) => hasClass(it, "dt-published"))
  const canonical = field((it) => hasClass(it, "p-canonical"))
  const id = ID.exec(name)?.[1]?.toLowerCase() ?? name
  const href = canonical === undefined ? "" : attribute(canonical, "href")
  const isOwn = href
    .replace(/[?#].*$/su, "")
    .toLowerCase()
    .endsWith(id)
  const isTitled = body !== undefined && findElements(body.children, isTitle).length > 0
  const begin = comparable(title.replace(/[…. ]+$/u, ""))
  const isResponse =
    !isTitled && begin !== "" && comparable(htmlText(body?.children ?? []).slice(0, 2000)).startsWith(begin)
  if (isFirst) report.add("access_unknown", "meta")
  if (source.isGuessed) report.add("encoding_guessed", "meta")
  const slug = (
    isOwn
      ? (URL.parse(href)?.pathname.split("/").at(-1) ?? "")
      : name.replace(/\.html?$/i, "").replace(/^(?:draft|\d{4}-\d{2}-\d{2})_/, "")
  ).replace(/-+[0-9a-f]{8,12}$/i, "")
  return {
    kind: "medium",
    sourceId: id,
    sourcePath: path,
    sourceUrl: isOwn ? href : null,
    authors: [words(field((it) => hasClass(it, "p-author")))].filter((it) => it !== ""),
    title,
    slug,
    status: /^draft_/i.test(name) ? "draft" : "published",
    date:
      (time === undefined ? "" : attribute(time, "datetime")) ||
      (/^(\d{4}-\d{2}-\d{2})_/.exec(name)?.[1] ?? ""),
    description: subtitle,
    canonicalUrl: isOwn ? "" : href,
    language: "",
    tags: [],
    cover: "",
    ogTitle: "",
    ogDescription: "",
    commentsEnabled: null,
    access: "free",
    ...htmlSections({ free: bodyOf(body), paid: [] }, report, pictures),
    stop: isTooLong
      ? { outcome: "refused", code: "source_too_long" }
      : isResponse
        ? { outcome: "skipped", code: "response" }
        : null,
    aliases: [`medium:${id}`],
    hashed: [source.text],
    report,
    pictures
  }
}

/** Reads an export of Medium. It does not say which stories were for members. */
export const mediumReading = (file: ImportFile, options: ImportOptions, now: number): ImportReading => {
  const names = storyEntries(file)
  const site = { title: null, url: null, language: null }
  const context: ItemContext = {
    site,
    options,
    now,
    entries: pictureEntries(file),
    isBetweenFiles: false,
    authors: new Set()
  }
  const storyAt = (path: string, ordinal: number) =>
    itemAt(
      ordinal,
      context,
      { kind: "medium", path, title: "" },
      Effect.map(textOf(file, path), (source) => postOf(path, source, ordinal === 0))
    )
  return {
    kind: "medium",
    site,
    total: names.length,
    items: Stream.fromIterable(names.entries()).pipe(
      Stream.mapEffect(([ordinal, path]) => storyAt(path, ordinal))
    )
  }
}
