import { Effect } from "effect"
import type { ImportFailure, ImportFile, ImportKind, ImportReading, ReadImport } from "../ImportedItem.ts"
import { type GhostData, ghostDataOf, ghostReading, jsonOf } from "./ghost/ghostForm.ts"
import { isStory, mediumReading, storyEntries } from "./html/mediumForm.ts"
import { isPostList, substackReading } from "./html/substackForm.ts"
import { failure, ITEMS_MAX, textOf } from "./item/failures.ts"
import { markdownReading } from "./markdown/markdownForm.ts"
import { isOwnFrontMatter, pennypressReading } from "./markdown/pennypressForm.ts"
import { markdownEntries } from "./markdown/textNames.ts"
import { wordpressReading } from "./wordpress/wordpressForm.ts"

/** A file whose form is known. */
type Recognized =
  | { readonly kind: "ghost"; readonly data: GhostData }
  | { readonly kind: "wordpress"; readonly names: ReadonlyArray<string> }
  | { readonly kind: "substack"; readonly list: string }
  | { readonly kind: "medium" | "markdown" | "pennypress" }

const NAMES: Readonly<Record<ImportKind, string>> = {
  pennypress: "an export of Pennypress",
  markdown: "Markdown",
  ghost: "an export of Ghost",
  wordpress: "an export of WordPress",
  substack: "an export of Substack",
  medium: "an export of Medium"
}

/** Bytes at the beginning of XML in which its names are declared. */
const HEAD_BYTES = 65_536
/** Files that are opened to find out the form of an archive, at most. */
const OPENED_MAX = 200

const headOf = (file: ImportFile, name: string) =>
  Effect.map(file.head(name, HEAD_BYTES), (bytes) => {
    const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)
    return new TextDecoder(isWide ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8").decode(bytes)
  })

/** Returns true for XML of WordPress. Fails for XML with a DOCTYPE, which could define other names for its texts. */
const isWxr = Effect.fnUntraced(function* (file: ImportFile, name: string) {
  const head = (yield* headOf(file, name)).replace(/^\uFEFF?\s{0,1000}/, "")
  if (!head.startsWith("<")) return false
  const root = /<(?![?!])[a-z][^>]{0,20000}>/i.exec(head)
  const before = root === null ? head : head.slice(0, root.index)
  const isRss = root !== null && /^<rss[\s>]/i.test(root[0]) && /\sxmlns:wp\s{0,5}=/.test(root[0])
  if (/<!DOCTYPE/i.test(before) && (isRss || (root === null && !/<!DOCTYPE\s+html/i.test(before))))
    return yield* failure(
      "doctype",
      "The file has a DOCTYPE, which no export of WordPress has. Remove it if you trust the file."
    )
  return isRss
})

const others: ReadonlyArray<readonly [name: string, test: (names: ReadonlyArray<string>) => boolean]> = [
  ["a book in EPUB", (names) => names.includes("META-INF/container.xml")],
  ["a document of Word", (names) => names.includes("word/document.xml")],
  ["a document of LibreOffice", (names) => names.includes("content.xml") && names.includes("mimetype")],
  ["pages of Notion as HTML", (names) => names.some((name) => / [0-9a-f]{32}\.html$/.test(name))]
]

const unknown = (what: string) =>
  failure(
    "unknown_form",
    `The file is ${what}. It can be an export of Substack, Ghost, Medium, WordPress or Pennypress, or a ZIP of Markdown.`
  )

const ghostIn = Effect.fnUntraced(function* (file: ImportFile, names: ReadonlyArray<string>) {
  const texts = names.filter(
    (name) =>
      /\.json$/i.test(name) &&
      !/(?:^|\/)(?:package(?:-lock)?|tsconfig|account|schema|manifest)\.json$/i.test(name)
  )
  for (const name of texts.toSorted((a, b) => a.split("/").length - b.split("/").length).slice(0, 20)) {
    const data = ghostDataOf(yield* jsonOf(file, name))
    if (data !== undefined) return data
  }
  return undefined
})

const isOwn = Effect.fnUntraced(function* (file: ImportFile) {
  const texts = markdownEntries(file).filter((name) => !/\.txt$/i.test(name))
  for (const name of texts.slice(0, OPENED_MAX))
    if (isOwnFrontMatter((yield* textOf(file, name)).text)) return true
  return false
})

const recognizedArchive = Effect.fnUntraced(function* (
  file: ImportFile
): Effect.fn.Return<Recognized, ImportFailure> {
  const names = file.entries.map(({ name }) => name)
  for (const list of names.filter((name) => /(?:^|\/)posts\.csv$/i.test(name)))
    if (isPostList(yield* headOf(file, list))) return { kind: "substack", list }
  const documents: Array<string> = []
  for (const name of names.filter((it) => /\.xml$/i.test(it)).slice(0, OPENED_MAX))
    if (yield* isWxr(file, name)) documents.push(name)
  if (documents.length > 0) return { kind: "wordpress", names: documents }
  for (const name of storyEntries(file).slice(0, 20))
    if (isStory((yield* textOf(file, name)).text)) return { kind: "medium" }
  if (markdownEntries(file).some((name) => !/\.txt$/i.test(name)))
    return { kind: (yield* isOwn(file)) ? "pennypress" : "markdown" }
  const data = yield* ghostIn(file, names)
  if (data !== undefined) return { kind: "ghost", data }
  if (markdownEntries(file).length > 0 && !others.some(([, test]) => test(names))) return { kind: "markdown" }
  return yield* unknown(others.find(([, test]) => test(names))?.[0] ?? "a ZIP without texts that can be read")
})

const recognizedFile = Effect.fnUntraced(function* (
  file: ImportFile,
  name: string
): Effect.fn.Return<Recognized, ImportFailure> {
  const head = (yield* headOf(file, name)).replace(/^\uFEFF?\s{0,1000}/, "")
  if (/\.(?:md|markdown|mdown|mdx|qmd|txt)$/i.test(name))
    return { kind: (yield* isOwn(file)) ? "pennypress" : "markdown" }
  if (/^[{[]/.test(head)) {
    const data = ghostDataOf(yield* jsonOf(file, name))
    if (data !== undefined) return { kind: "ghost", data }
    return yield* unknown("JSON, but not of Ghost")
  }
  if (yield* isWxr(file, name)) return { kind: "wordpress", names: [name] }
  if (head.startsWith("%PDF")) return yield* unknown("a PDF")
  if (/<feed\b[^>]{0,2000}blogger/i.test(head)) return yield* unknown("an export of Blogger")
  if (isPostList(head)) return yield* unknown("the list of posts of Substack alone; send the whole ZIP")
  if (/^<!doctype html|^<html/i.test(head)) return yield* unknown("a single page of HTML")
  return yield* unknown("of a form that is not known")
})

const readingOf = (
  file: ImportFile,
  form: Recognized,
  [options, now]: readonly [Parameters<ReadImport>[1], number]
): Effect.Effect<ImportReading, ImportFailure> => {
  switch (form.kind) {
    case "ghost":
      return ghostReading(form.data, file, options, now)
    case "wordpress":
      return wordpressReading(file, form.names, options, now)
    case "substack":
      return substackReading(file, form.list, options, now)
    case "medium":
      return Effect.succeed(mediumReading(file, options, now))
    case "markdown":
      return Effect.succeed(markdownReading(file, options, now))
    default:
      return Effect.succeed(pennypressReading(file, options, now))
  }
}

/** Recognizes a file by its content, and reads its items. */
export const readImport: ReadImport = Effect.fnUntraced(function* (file, options, now) {
  if (file.entries.length === 0 || file.entries.every(({ size }) => size === 0))
    return yield* failure("empty", "The file has nothing in it.")
  const [first] = file.entries
  const found =
    file.isArchive || first === undefined
      ? yield* recognizedArchive(file)
      : yield* recognizedFile(file, first.name)
  // Our own export is Markdown, too.
  const form: Recognized =
    found.kind === "pennypress" && options.kind === "markdown" ? { kind: "markdown" } : found
  if (options.kind !== undefined && options.kind !== form.kind)
    return yield* failure(
      "kind_mismatch",
      `The file looks like ${NAMES[form.kind]}, not like ${NAMES[options.kind]}.`
    )
  const reading = yield* readingOf(file, form, [options, now])
  if (reading.total !== null && reading.total > ITEMS_MAX)
    return yield* failure("too_many", `The file has ${reading.total} posts. At most 100,000 can be read.`)
  return reading
})
