import { Effect, Option, Schema, Stream } from "effect"
import { isTooDeep } from "../../../../../schemas/platform/jsonBounds.ts"
import { CreationMethod } from "../../../../../schemas/publishing/posts/creation.ts"
import { NATIVE_DEPTH_MAX } from "../../../../../schemas/publishing/posts/NativeDocument.ts"
import { EmbeddedPictures } from "../../conversion/html/walk.ts"
import { Report } from "../../conversion/report.ts"
import { isAccepted, isTooLong, type MadeSection } from "../../conversion/section.ts"
import type {
  ImportedItem,
  ImportFile,
  ImportOptions,
  ImportReading,
  ItemAttachment,
  ItemNative
} from "../../ImportedItem.ts"
import { textOf } from "../item/failures.ts"
import { itemAt } from "../item/itemAt.ts"
import { pictureEntries } from "../item/pictures.ts"
import type { ItemContext, SourcePost } from "../item/SourcePost.ts"
import { frontMatterOf, isMembers, type Members, textMember, truthMember } from "./frontMatter.ts"
import { walledMarkdown } from "./walls.ts"

const isCreationMethod = Schema.is(CreationMethod)

/** Returns true for front matter of our own export. */
export const isOwnFrontMatter = (text: string): boolean =>
  isMembers(frontMatterOf(text).members.get("pennypress"))

/** A section as it was sent, if posts accept it. */
const sectionOf = (markdown: string): MadeSection => {
  if (isTooLong(markdown)) return { refused: "section_too_long" }
  return markdown.trim() === "" || isAccepted(markdown)
    ? { markdown, isFlattened: false }
    : { refused: "too_complex" }
}

/** Takes off the empty line before the text and the line end after it. */
const exactBody = (body: string) => body.replace(/^\n/, "").replace(/\n$/, "")

const idsOf = (own: Members): readonly [number | null, number | null] => {
  const ids = own.get("categoryids")
  const list: ReadonlyArray<unknown> = Array.isArray(ids) ? ids : []
  const id = (value: unknown) =>
    typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 30 ? value : null
  return [id(list[0]), id(list[1])]
}

interface OwnFile {
  readonly path: string
  readonly text: string
  /** The paid section of its post, if the export has one. */
  readonly paid: string | undefined
  /** The sections of its post that Markdown cannot say, if the export has them. */
  readonly native: string | undefined
  readonly attachments: ReadonlyArray<ItemAttachment>
}

const decodeNative = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ free: Schema.Unknown, paid: Schema.Unknown }))
)

/** Levels of the sections in a file; each node of a document has two. */
const NATIVE_LEVELS_MAX = 2 * NATIVE_DEPTH_MAX + 64

/** Returns the sections in a file of `native/`. They are checked when they are written. */
const nativeIn = (json: string): ItemNative | undefined => {
  if (isTooDeep(json, NATIVE_LEVELS_MAX)) return undefined
  const sections = Option.getOrUndefined(decodeNative(json))
  if (sections === undefined) return undefined
  const sectionIn = (document: unknown) => (document === null ? null : JSON.stringify(document))
  return { free: sectionIn(sections.free), paid: sectionIn(sections.paid) }
}

/** Returns the folder in which the folder of a text is: `posts/x.md` belongs to `paid/x.md`. */
const rootOf = (path: string) => path.replace(/(?:posts|drafts)\/[^/]*$/, "").replace(/[^/]+\.md$/i, "")

const postOf = ({ attachments, native, paid, path, text }: OwnFile): SourcePost => {
  const { body, members } = frontMatterOf(text)
  const own = members.get("pennypress")
  const mine: Members = isMembers(own) ? own : new Map()
  const free = exactBody(body)
  const walled = paid === undefined ? walledMarkdown(free) : undefined
  const slug = textMember(members, "slug")
  const id = textMember(mine, "id")
  const access = textMember(mine, "access")
  // A second section that everyone may read is in `paid/`, too. Only our own word for it opens it.
  const isOpen = access === "free" && walled === undefined
  const isPaid =
    !isOpen && (paid !== undefined || walled !== undefined || (access !== "public" && access !== ""))
  const method = textMember(mine, "creationMethod")
  const price = textMember(mine, "priceXno")
  const report = new Report()
  const sections = native === undefined ? null : nativeIn(native)
  if (sections === undefined) report.add("native_dropped", "free")
  return {
    kind: "pennypress",
    sourceId: id || path,
    sourcePath: path,
    sourceUrl: null,
    authors: [],
    title: textMember(members, "title"),
    slug,
    status: truthMember(members, "draft") === true ? "draft" : "published",
    date: textMember(members, "date"),
    description: textMember(members, "description"),
    canonicalUrl: textMember(members, "canonicalUrl"),
    language: textMember(members, "lang"),
    tags: [],
    categoryIds: idsOf(mine),
    cover: textMember(members, "image"),
    ogTitle: textMember(mine, "ogTitle"),
    ogDescription: textMember(mine, "ogDescription"),
    commentsEnabled: truthMember(mine, "commentsEnabled"),
    mailReaders: truthMember(mine, "mailReaders"),
    access: isPaid ? "paid" : "free",
    free: sectionOf((walled?.free ?? free).replace(walled === undefined ? /(?!)/ : /\n+$/, "")),
    paid: sectionOf(walled === undefined ? (paid ?? "").replace(/\n$/, "") : walled.paid.replace(/^\n+/, "")),
    priceXno: /^\d{1,10}(?:\.\d{1,6})?$/.test(price) ? price : null,
    creationMethod: isCreationMethod(method) ? method : null,
    creationDetails: textMember(mine, "creationDetails") || null,
    creationAttested: truthMember(mine, "creationAttested") === true,
    stop: null,
    isExact: true,
    aliases: [],
    attachments,
    native: sections ?? null,
    hashed: [
      text,
      paid ?? null,
      ...(native === undefined ? [] : [native]),
      ...(attachments.length === 0 ? [] : [attachments.map(({ name }) => name)])
    ],
    report,
    pictures: new EmbeddedPictures()
  }
}

const isText = (name: string) => /\.md$/i.test(name) && !/(?:^|\/)paid\//.test(name)

/** Reads our own export, or files of it. Other files of the archive are not items. */
export const pennypressReading = (file: ImportFile, options: ImportOptions, now: number): ImportReading => {
  const site = { title: null, url: null, language: null }
  const context: ItemContext = {
    site,
    options,
    now,
    entries: pictureEntries(file),
    isBetweenFiles: file.isArchive,
    authors: new Set()
  }
  const names = new Set(file.entries.map(({ name }) => name))
  const texts = [...names].filter(isText)
  /** Files for buyers, by their folders. */
  const files = new Map<string, Array<ItemAttachment>>()
  for (const name of names) {
    const at = name.lastIndexOf("/") + 1
    const folder = name.slice(0, at)
    if (!/(?:^|\/)attachments\/[^/]+\/$/.test(folder)) continue
    files.set(folder, [...(files.get(folder) ?? []), { entry: name, name: name.slice(at) }])
  }
  const beside = Effect.fnUntraced(function* (name: string) {
    return names.has(name) ? (yield* textOf(file, name)).text : undefined
  })
  /** Returns the post of a text, which is converted when it is asked for; none for a text that is no post. */
  const postAt = Effect.fnUntraced(function* (path: string) {
    const { text } = yield* textOf(file, path)
    if (!isOwnFrontMatter(text)) return Option.none()
    const { members } = frontMatterOf(text)
    const own = members.get("pennypress")
    const id = isMembers(own) ? textMember(own, "id") : ""
    const root = rootOf(path)
    const post = Effect.gen(function* () {
      return postOf({
        path,
        text,
        paid: yield* beside(`${root}paid/${textMember(members, "slug")}.md`),
        native: yield* beside(`${root}native/${id}.json`),
        attachments: files.get(`${root}attachments/${id}/`) ?? []
      })
    })
    return Option.some({
      named: { kind: "pennypress", path, title: textMember(members, "title") },
      post
    } as const)
  })
  const items = Stream.fromIterable(texts).pipe(
    Stream.mapEffect(postAt),
    Stream.filter(Option.isSome),
    Stream.mapAccumEffect(
      () => 0,
      (ordinal: number, { value: { named, post } }) =>
        Effect.map(
          itemAt(ordinal, context, named, post),
          (item): readonly [number, ReadonlyArray<ImportedItem>] => [ordinal + 1, [item]]
        )
    )
  )
  return { kind: "pennypress", site, total: null, items }
}
