import { xnoOfRaw } from "../../../schemas/platform/Nano.ts"
import type { PostSummary } from "../../../schemas/publishing/discovery/Discovery.ts"
import type { OwnMedia } from "../../platform/media/OwnMedia.ts"
import type { PriceWorth } from "../../platform/nano/aboutMoney.ts"
import type { Html } from "../../platform/pages/html.ts"
import type { PageText } from "../../publishing/content/html/pageText.ts"
import { summaryOf } from "../../publishing/discovery/summary.ts"
import type { CardRow, PostPageRow } from "../../publishing/public-posts/pages.sql.ts"
import { pictureOf } from "../../publishing/public-posts/pictures.sql.ts"
import type { CardView, DiscussionView, PostView } from "./parts/views.ts"
import { extentOf, minutesOf, wordsOf } from "./readingTime.ts"
import { wordsIn } from "./words/wordsIn.ts"

const xnoOf = (priceRaw: string | null) => (priceRaw === null ? null : xnoOfRaw(BigInt(priceRaw)))

/** Returns the card of a Post. */
export const cardOf = (
  { author, description, language, priceRaw, publishedAt, title, url }: PostSummary,
  row: Omit<CardRow, "id">,
  { srcOf }: OwnMedia["Service"]
): CardView => ({
  url,
  title,
  description,
  language,
  publishedAt,
  author,
  priceXno: xnoOf(priceRaw),
  minutes: extentOf(row.bytes, language).minutes,
  picture: srcOf(pictureOf(row))
})

/** Returns the page of a Post from its row, its text and the parts below it. */
export const postViewOf = (
  row: PostPageRow,
  { baseUrl, media }: { readonly baseUrl: string; readonly media: OwnMedia["Service"] },
  {
    cardPicture,
    worthOf,
    holdsNew,
    isMailed,
    discussion,
    related,
    text
  }: {
    /** The text that everyone may read. */
    readonly text: Pick<PageText, "headings" | "words"> & { readonly html: Html }
    /** The address of the drawn picture. */
    readonly cardPicture: string
    readonly worthOf: PriceWorth
    /** True to keep the Posts of new accounts out of search engines. */
    readonly holdsNew: boolean
    /** True where readers get posts by mail. */
    readonly isMailed: boolean
    readonly discussion: DiscussionView
    readonly related: ReadonlyArray<CardView>
  }
): PostView => {
  const { author, counts: _, ogImageEffective, priceRaw, ...post } = summaryOf(row, baseUrl, media)
  const restBytes = row.all_bytes - row.public_bytes
  const words = text.words + wordsOf(restBytes, row.language)
  const priceXno = xnoOf(priceRaw)
  return {
    ...post,
    author: { ...author, bio: row.author_bio },
    category:
      row.category_name === null || row.category_slug === null
        ? null
        : { name: row.category_name, slug: row.category_slug },
    priceXno,
    priceWorth: priceXno === null ? null : worthOf(priceXno, wordsIn(row.language).language),
    rest: row.enable_paywall
      ? {
          ...extentOf(restBytes, row.language),
          pictures: row.rest_images,
          sections: row.rest_sections,
          files: row.files
        }
      : null,
    sales: row.purchase_count,
    tipAmounts: row.tip_amounts,
    minutes: minutesOf(words),
    image: ogImageEffective,
    imageSize:
      row.og_width === null || row.og_height === null ? null : { width: row.og_width, height: row.og_height },
    cardPicture,
    ogTitle: row.og_title,
    ogDescription: row.og_description,
    canonicalUrl: row.canonical_url,
    isIndexed: !holdsNew || !row.author_is_new || row.purchase_count > 0,
    isMailed,
    text: text.html,
    headings: text.headings,
    reactions: { thumbs_up: row.thumbs_up, heart: row.heart, fire: row.fire, clap: row.clap },
    discussion,
    related
  }
}
