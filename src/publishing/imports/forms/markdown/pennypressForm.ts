import { Effect, Option, Schema, Stream } from "effect"
import { CreationMethod } from "../../../../../schemas/publishing/posts/creation.ts"
import { EmbeddedPictures } from "../../conversion/html/walk.ts"
import { Report } from "../../conversion/report.ts"
import { isAccepted, isTooLong, type MadeSection } from "../../conversion/section.ts"
import type {
  ImportedItem,
  ImportFailure,
  ImportFile,
  ImportOptions,
  ImportReading
} from "../../ImportedItem.ts"
import { textOf } from "../item/failures.ts"
import { type ItemContext, itemOf, type SourcePost } from "../item/itemOf.ts"
import { pictureEntries } from "../item/pictures.ts"
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
}

/** Returns the folder in which the folder of a text is: `posts/x.md` belongs to `paid/x.md`. */
const rootOf = (path: string) => path.replace(/(?:posts|drafts)\/[^/]*$/, "").replace(/[^/]+\.md$/i, "")

const postOf = ({ paid, path, text }: OwnFile, file: ImportFile): SourcePost => {
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
  const folder = `${rootOf(path)}attachments/${id}/`
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
    attachments:
      id === ""
        ? []
        : file.entries
            .filter(({ name }) => name.startsWith(folder) && !name.slice(folder.length).includes("/"))
            .map(({ name }) => ({ entry: name, name: name.slice(folder.length) })),
    hashed: [text, paid ?? null],
    report: new Report(),
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
  const names = file.entries.map(({ name }) => name)
  const texts = names.filter(isText)
  const paidOf = (slug: string, path: string) => {
    return names.find((name) => name === `${rootOf(path)}paid/${slug}.md`)
  }
  const postAt = (path: string): Effect.Effect<Option.Option<SourcePost>, ImportFailure> =>
    Effect.gen(function* () {
      const { text } = yield* textOf(file, path)
      if (!isOwnFrontMatter(text)) return Option.none()
      const slug = textMember(frontMatterOf(text).members, "slug")
      const entry = slug === "" ? undefined : paidOf(slug, path)
      const paid = entry === undefined ? undefined : (yield* textOf(file, entry)).text
      return Option.some(postOf({ path, text, paid }, file))
    })
  const items = Stream.fromIterable(texts).pipe(
    Stream.mapEffect(postAt),
    Stream.filter(Option.isSome),
    Stream.mapAccum(
      () => 0,
      (ordinal: number, post): readonly [number, ReadonlyArray<ImportedItem>] => [
        ordinal + 1,
        [itemOf(post.value, ordinal, context)]
      ]
    )
  )
  return { kind: "pennypress", site, total: null, items }
}
