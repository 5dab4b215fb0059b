import { Effect, Stream } from "effect"
import { htmlTree } from "../../conversion/html/htmlTree.ts"
import { EmbeddedPictures } from "../../conversion/html/walk.ts"
import { Report, type ReportCode } from "../../conversion/report.ts"
import type {
  ImportedItem,
  ImportFailure,
  ImportFile,
  ImportOptions,
  ImportReading,
  ImportSite,
  ItemStop
} from "../../ImportedItem.ts"
import { failure, ITEMS_MAX, SOURCE_CHARS_MAX } from "../item/failures.ts"
import { plainText } from "../item/fields.ts"
import { htmlSections } from "../item/htmlSections.ts"
import { itemAt } from "../item/itemAt.ts"
import { pictureEntries } from "../item/pictures.ts"
import type { ItemContext, SourcePost } from "../item/SourcePost.ts"
import { cleanText } from "../item/text.ts"
import { blockComments } from "./blocks.ts"
import { classicHtml } from "./classic.ts"
import { type MediaLibrary, withoutShortcodes } from "./shortcodes.ts"
import { wordpressWall } from "./walls.ts"
import { channelElements, child, metaOf, type WxrElement } from "./wxr.ts"

/** Types of WordPress itself that are no texts. */
const TECHNICAL: ReadonlySet<string> = new Set(
  "attachment nav_menu_item revision custom_css customize_changeset oembed_cache user_request wp_block wp_template wp_template_part wp_global_styles wp_navigation wp_font_family wp_font_face".split(
    " "
  )
)

/** Facts about a whole site that its posts need. */
interface Site extends MediaLibrary {
  readonly site: ImportSite
  readonly nameOf: (login: string) => string
  readonly hasAuthors: boolean
}

const DEFAULT_ATTACHMENTS_MAX = 500_000

/** Reads the site, its authors and its media library. Damage ends this reading without a failure: the next one tells it. */
const siteOf = (file: ImportFile, names: ReadonlyArray<string>): Effect.Effect<Site, ImportFailure> =>
  Effect.gen(function* () {
    const urls = new Map<string, string>()
    const ids = new Map<string, Array<string>>()
    const authors = new Map<string, string>()
    const values = new Map<string, string>()
    const see = (element: WxrElement) => {
      if (element.name === "wp:author")
        authors.set(child(element, "wp:author_login"), child(element, "wp:author_display_name"))
      else if (element.name === "item") {
        if (child(element, "wp:post_type") !== "attachment" || urls.size >= DEFAULT_ATTACHMENTS_MAX) return
        const id = child(element, "wp:post_id")
        urls.set(id, child(element, "wp:attachment_url") || child(element, "guid"))
        const parent = child(element, "wp:post_parent")
        const children = ids.get(parent)
        if (children === undefined) ids.set(parent, [id])
        else children.push(id)
      } else if (!values.has(element.name)) values.set(element.name, element.text.trim())
    }
    for (const name of names) {
      const seen = yield* Effect.result(
        Stream.runForEach(channelElements(file, name), (element) => Effect.sync(() => see(element)))
      )
      if (seen._tag === "Failure" && seen.failure.code !== "damaged") return yield* seen.failure
    }
    const url = values.get("wp:base_blog_url") || values.get("link") || ""
    return {
      site: {
        title: values.get("title") || null,
        url: /^https?:\/\//i.test(url) ? url : null,
        language: values.get("language") || null
      },
      nameOf: (login) => authors.get(login) || login,
      hasAuthors: authors.size > 1,
      urlOf: (id) => urls.get(id),
      idsOf: (postId) => ids.get(postId) ?? []
    }
  })

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** Returns the footnotes of the block editor, which it keeps beside the text, as the list that a page shows. */
const footnotesHtml = (json: string): string => {
  if (json === "" || json.length > SOURCE_CHARS_MAX) return ""
  let notes: unknown
  try {
    notes = JSON.parse(json)
  } catch {
    return ""
  }
  if (!Array.isArray(notes)) return ""
  const items = notes.slice(0, 1000).flatMap((note: unknown) => {
    if (typeof note !== "object" || note === null || !("id" in note) || !("content" in note)) return []
    const { content, id } = note
    return typeof id === "string" && typeof content === "string"
      ? [`<li id="${escaped(id)}">${content} <a href="#${escaped(id)}-link">↩</a></li>`]
      : []
  })
  return items.length === 0 ? "" : `<ol class="wp-block-footnotes">${items.join("")}</ol>`
}

/** Blocks that show what stands elsewhere, or nothing that a text has. */
const SILENT =
  /^(?:more|nextpage|spacer|separator|footnotes|post-|site-|query|template-part|pattern|jetpack\/(?:paywall|subscriptions|sharing|related))/

const htmlOf = (
  content: string,
  footnotes: string,
  postId: string,
  library: MediaLibrary,
  note: (code: ReportCode, excerpt?: string) => void
): string => {
  if (content.trim() === "" && footnotes === "") return ""
  const isBlocks = content.includes("<!-- wp:")
  if (isBlocks)
    for (const { isSelfClosing, name } of blockComments(content))
      if (isSelfClosing && !SILENT.test(name)) note("html_dropped", `wp:${name}`)
  const html = withoutShortcodes(content, { library, postId, note })
  return (isBlocks ? html : classicHtml(html)) + footnotes
}

const stopOf = (type: string, status: string, isTooLong: boolean): ItemStop | null => {
  if (isTooLong) return { outcome: "refused", code: "source_too_long" }
  if (status === "trash") return { outcome: "skipped", code: "trashed" }
  if (type === "page") return { outcome: "skipped", code: "page" }
  return type === "post" ? null : { outcome: "skipped", code: "other_type" }
}

interface Access {
  readonly word: string | undefined
  /** The offset from which on it is paid; undefined if nothing is. */
  readonly at: number | undefined
}

/** Returns true for any password, also for one of spaces. White space with a line end is of the file. */
const hasPassword = (item: WxrElement): boolean => {
  const text = item.children.find(({ name }) => name === "wp:post_password")?.text ?? ""
  return text !== "" && (text.trim() !== "" || !/[\r\n]/.test(text))
}

/** Returns what of a post only some readers may see. */
const accessOf = (item: WxrElement, meta: ReadonlyMap<string, string>, content: string): Access => {
  // The report has the word, never the password.
  if (hasPassword(item)) return { word: "password", at: 0 }
  if (child(item, "wp:status") === "private") return { word: "private", at: 0 }
  const wall = wordpressWall(content)
  const newsletter = meta.get("_jetpack_newsletter_access") ?? ""
  const isForAll = newsletter === "" || newsletter === "everybody"
  if (wall !== undefined) return { word: isForAll ? wall.word : newsletter, at: wall.at }
  return isForAll ? { word: undefined, at: undefined } : { word: newsletter, at: 0 }
}

const dateOf = (item: WxrElement) => {
  const gmt = child(item, "wp:post_date_gmt")
  if (gmt !== "" && !gmt.startsWith("0000")) return `${gmt}Z`
  const local = child(item, "wp:post_date")
  return local.startsWith("0000") ? "" : local
}

const STATUS: Readonly<Record<string, "published" | "scheduled">> = {
  publish: "published",
  future: "scheduled"
}

const postOf = (item: WxrElement, path: string | null, site: Site): SourcePost => {
  const report = new Report()
  const pictures = new EmbeddedPictures()
  const meta = metaOf(item)
  const id = child(item, "wp:post_id")
  const status = child(item, "wp:status")
  const source = child(item, "content:encoded")
  const isTooLong = source.length > SOURCE_CHARS_MAX
  const content = isTooLong ? "" : cleanText(source)
  const access = accessOf(item, meta, content)
  const isPaid = access.at !== undefined
  if (access.word !== undefined) report.add("access_walled", "meta", access.word)
  if (content.length < source.length && !isTooLong) report.add("characters_removed", isPaid ? "paid" : "free")
  const isSecret = access.word === "password" || access.word === "private"
  const at = access.at ?? content.length
  const footnotes = isTooLong ? "" : footnotesHtml(meta.get("footnotes") ?? "")
  const tree = (text: string, notes: string, section: "free" | "paid") =>
    htmlTree(htmlOf(text, notes, id, site, (code, excerpt) => report.add(code, section, excerpt))).nodes
  const sections = htmlSections(
    // Footnotes stand at the end, which is behind the wall.
    {
      free: tree(content.slice(0, at), isPaid ? "" : footnotes, "free"),
      paid: isPaid ? tree(content.slice(at), footnotes, "paid") : []
    },
    report,
    pictures
  )
  const link = child(item, "link")
  const guid = child(item, "guid")
  const terms = item.children.filter(({ name }) => name === "category")
  const termsOf = (domain: string) =>
    terms
      .filter(({ attributes }) => attributes["domain"] === domain)
      .map(({ text }) => plainText(text.trim()))
      .filter((name) => name !== "" && name !== "Uncategorized")
  const tags = [...termsOf("category"), ...termsOf("post_tag")]
  const author = site.nameOf(child(item, "dc:creator"))
  const thumbnail = meta.get("_thumbnail_id")
  return {
    kind: "wordpress",
    sourceId: guid || `${site.site.url ?? ""}?p=${id}`,
    sourcePath: path,
    sourceUrl: /^https?:\/\//i.test(link) ? link : null,
    authors: author === "" ? [] : [author],
    title: plainText(child(item, "title")),
    slug: child(item, "wp:post_name"),
    status: STATUS[status] ?? "draft",
    date: dateOf(item),
    description: isSecret ? "" : plainText(child(item, "excerpt:encoded")),
    canonicalUrl: meta.get("_yoast_wpseo_canonical") || meta.get("rank_math_canonical_url") || "",
    language: site.site.language ?? "",
    tags,
    cover: thumbnail === undefined ? "" : (site.urlOf(thumbnail) ?? ""),
    ogTitle: meta.get("_yoast_wpseo_opengraph-title") ?? "",
    ogDescription: isSecret ? "" : (meta.get("_yoast_wpseo_opengraph-description") ?? ""),
    commentsEnabled:
      child(item, "wp:comment_status") === "" ? null : child(item, "wp:comment_status") === "open",
    access: isPaid ? "paid" : "free",
    ...sections,
    stop: stopOf(child(item, "wp:post_type"), status, isTooLong),
    aliases: [guid, id === "" ? "" : `p:${id}`].filter((it) => it !== ""),
    hashed: [
      source,
      child(item, "title"),
      child(item, "wp:post_name"),
      status,
      dateOf(item),
      child(item, "excerpt:encoded"),
      hasPassword(item),
      meta.get("_jetpack_newsletter_access") ?? "",
      meta.get("footnotes") ?? "",
      thumbnail ?? "",
      tags
    ],
    report,
    pictures
  }
}

/** Reads exports of WordPress, one after another. */
export const wordpressReading = (
  file: ImportFile,
  names: ReadonlyArray<string>,
  options: ImportOptions,
  now: number
): Effect.Effect<ImportReading, ImportFailure> =>
  Effect.map(siteOf(file, names), (site) => {
    const context: ItemContext = {
      site: site.site,
      options,
      now,
      entries: pictureEntries(file),
      isBetweenFiles: false,
      authors: new Set()
    }
    const isItem = (element: WxrElement) =>
      element.name === "item" && !TECHNICAL.has(child(element, "wp:post_type"))
    const items = Stream.fromIterable(names).pipe(
      Stream.flatMap((name) =>
        Stream.map(Stream.filter(channelElements(file, name), isItem), (item) => ({
          item,
          path: file.isArchive ? name : null
        }))
      ),
      // One by one, so that each item leaves when it is made.
      Stream.rechunk(1),
      Stream.mapAccumEffect(
        () => 0,
        (
          ordinal: number,
          { item, path }
        ): Effect.Effect<readonly [number, ReadonlyArray<ImportedItem>], ImportFailure> =>
          ordinal >= ITEMS_MAX
            ? Effect.fail(failure("too_many", "The file has more than 100,000 posts."))
            : Effect.map(
                itemAt(
                  ordinal,
                  context,
                  { kind: "wordpress", path, title: child(item, "title") },
                  Effect.sync(() => postOf(item, path, site))
                ),
                (made) => [ordinal + 1, [made]]
              )
      )
    )
    return { kind: "wordpress" as const, site: site.site, total: null, items }
  })
