import { Effect } from "effect"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import type { NativeDocument } from "../../../../schemas/publishing/posts/NativeDocument.ts"
import { OwnMedia } from "../../../platform/media/OwnMedia.ts"
import { publicPath } from "../../uploads/operation/objectKeys.ts"
import { urlsIn } from "../conversion/urls.ts"
import type { Exchange, PictureAddress } from "../conversion/withUrls.ts"
import type { ItemDraft, ItemLink } from "../ImportedItem.ts"
import type { ImportRow } from "../rows/importRow.ts"
import type { Picture, WholeItemRow } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { metaLine } from "../rows/reportLines.ts"
import { addressOf } from "./collectPictures.ts"
import { makeExchangeUrls } from "./exchangeUrls.ts"

/** The section of a picture or a link in the draft, for its line in the report. Text from behind a wall is only in `paid`. */
const sectionOf = ({ freeContent, paidContent }: ItemDraft, url: string): "free" | "paid" => {
  if (!freeContent.includes(url)) return "paid"
  // Only an address that may be in both sections, such as the beginning of another one, needs a parse.
  if (!paidContent.includes(url)) return "free"
  const { images, links } = urlsIn(freeContent)
  return [...images, ...links].some((found) => found.url === url) ? "free" : "paid"
}

/** The documents of an item; undefined for a section that stays Markdown. */
interface NativeHere {
  readonly free: NativeDocument | undefined
  readonly paid: NativeDocument | undefined
}

/** Returns the address of a picture as a Post stores it. It has it before it is admitted. */
export const storedUrlOf = ({ format, operationId }: Picture): string | null =>
  format === null || format === "zip" ? null : `/${publicPath({ id: operationId }, format)}`

/** Links of an item that are looked up, at most. Further ones stay as they are. */
const LINKS_MAX = 2_000

/** Makes the function that returns the target of a link: by an old address, or by a slug that one target has. */
export const targetsOf = <
  Target extends { readonly aliases: ReadonlyArray<string>; readonly source_slug: string | null }
>(
  targets: ReadonlyArray<Target>
): ((link: Pick<ItemLink, "keys" | "slug">) => Target | undefined) => {
  const byAlias = new Map<string, Target>()
  // Null for a slug that several have.
  const bySlug = new Map<string, Target | null>()
  for (const target of targets) {
    for (const alias of target.aliases) if (!byAlias.has(alias)) byAlias.set(alias, target)
    const { source_slug } = target
    if (source_slug !== null) bySlug.set(source_slug, bySlug.has(source_slug) ? null : target)
  }
  return ({ keys, slug }) => {
    const key = keys.find((it) => byAlias.has(it))
    if (key !== undefined) return byAlias.get(key)
    return slug === null ? undefined : (bySlug.get(slug) ?? undefined)
  }
}

/** Makes the functions that give pictures and links of an item the addresses that they have here. */
export const makeItemTexts = Effect.gen(function* () {
  const items = yield* itemStatements
  const media = yield* OwnMedia
  const exchangeUrls = yield* makeExchangeUrls
  const baseUrl = yield* PublicBaseUrl

  /** Returns the address of a picture in texts. */
  const urlOf = (picture: Picture): string | null => media.urlOf(storedUrlOf(picture))

  const picturesOf = (item: WholeItemRow, pictures: ReadonlyArray<Picture>, siteUrl: string | undefined) => {
    const addresses = new Map<string, PictureAddress>()
    for (const [index, image] of item.content.images.entries()) {
      if (image.place !== "text") continue
      const picture = pictures.find((it) => it.index === index)
      const url = picture === undefined || picture.state === "failed" ? null : urlOf(picture)
      addresses.set(image.url, url === null ? { link: addressOf(image.from, siteUrl) } : { picture: url })
    }
    return addresses
  }

  const linksOf = Effect.fnUntraced(function* (
    row: ImportRow,
    item: WholeItemRow,
    siteUrl: string | undefined
  ) {
    const links = item.content.links.slice(0, LINKS_MAX)
    const addresses = new Map<string, string | null>()
    const lines: Array<ReportLine> = []
    if (links.length === 0) return { addresses, lines }
    const slugs = links.flatMap(({ slug }) => (slug === null ? [] : [slug]))
    const targets = (yield* items.targets(
      row.owner_id,
      row.id,
      links.flatMap(({ keys }) => keys),
      slugs
    )).filter(({ is_applied }) => is_applied)
    const targetOf = targetsOf(targets)
    for (const link of links) {
      const target = targetOf(link)
      const section = sectionOf(item.content.draft, link.url)
      if (target !== undefined) {
        addresses.set(link.url, `${baseUrl}/@${target.handle}/${target.slug}${link.fragment}`)
        lines.push(metaLine("note", "link_rewritten", "The link leads to the post here.", link.url, section))
        continue
      }
      const completed =
        link.path === null || siteUrl === undefined ? null : (URL.parse(link.path, siteUrl)?.href ?? null)
      const address = link.absolute ?? completed
      addresses.set(link.url, address)
      if (address === null)
        lines.push(
          metaLine(
            "lost",
            "link_dropped",
            "The link leads to a place that the file does not say.",
            link.url,
            section
          )
        )
    }
    return { addresses, lines }
  })

  return {
    urlOf,

    /** Returns the draft of an item with its sections as they are here, and the lines about its links. */
    draftHere: Effect.fn("Imports.draftHere")(function* (
      row: ImportRow,
      item: WholeItemRow,
      it: {
        readonly pictures: ReadonlyArray<Picture>
        readonly siteUrl: string | undefined
      }
    ) {
      const { draft, images } = item.content
      const links = yield* linksOf(row, item, it.siteUrl)
      const pictures = picturesOf(item, it.pictures, it.siteUrl)
      // A link to a picture of the text leads to the picture here.
      for (const [url, address] of pictures)
        if ("picture" in address) links.addresses.set(url, address.picture)
      const exchange: Exchange = { pictures, links: links.addresses }
      const cover = it.pictures.find(
        ({ index, state }) => state !== "failed" && images[index]?.place === "cover"
      )
      const section = (text: string) => exchangeUrls(row.owner_id, text, exchange)
      return {
        draft: {
          ...draft,
          freeContent: yield* section(draft.freeContent),
          paidContent: yield* section(draft.paidContent)
        },
        cover: cover === undefined ? null : urlOf(cover),
        lines: links.lines
      }
    }),

    /**
     * Returns the documents of an item with the addresses that its pictures have here. A section with a picture that did not
     * come has none: it stays Markdown.
     */
    nativeHere: (item: WholeItemRow, pictures: ReadonlyArray<Picture>): NativeHere => {
      const addresses = picturesOf(item, pictures, undefined)
      const documentOf = (json: string | null | undefined): NativeDocument | undefined => {
        if (json === null || json === undefined) return undefined
        let isWhole = true
        const document: NativeDocument = JSON.parse(json, (_, value: unknown) => {
          const address = typeof value === "string" ? addresses.get(value) : undefined
          if (address === undefined) return value
          if ("picture" in address) return address.picture
          isWhole = false
          return value
        })
        return isWhole ? document : undefined
      }
      return { free: documentOf(item.content.native?.free), paid: documentOf(item.content.native?.paid) }
    },

    /** Returns a section in which pictures that did not come into the Post are links, or their alternative texts. */
    withoutPictures: (
      owner: OwnerId,
      section: string,
      item: WholeItemRow,
      failed: ReadonlyArray<Picture>
    ): Effect.Effect<string> => {
      const pictures = new Map(
        failed.flatMap((picture): ReadonlyArray<[string, PictureAddress]> => {
          const url = urlOf(picture)
          const image = item.content.images[picture.index]
          return url === null || image === undefined
            ? []
            : [[url, { link: addressOf(image.from, undefined) }]]
        })
      )
      return exchangeUrls(owner, section, { pictures, links: new Map() })
    },

    sectionOf
  }
})
