import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { VARIANT_WIDTHS } from "../../../schemas/publishing/uploads/limits.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { type Html, trusted } from "../../platform/pages/html.ts"
import { type ImageRow, imageStatements } from "../../publishing/public-posts/images.sql.ts"
import { variantPath } from "../../publishing/uploads/operation/objectKeys.ts"

/** An image as the renderer of texts writes it. Addresses of our images have no character that HTML escapes. */
const IMAGE = /<img src="([^"<>\s]*)"/g

/**
 * The width of a text's column, which leaves a margin on small screens. It is 41rem at most: one less makes a plain screen
 * take the copy of 640 pixels, which has a third of the bytes of the next one.
 */
const SIZES = "(min-width: 45rem) 40rem, 92vw"

/** The widest copy fills the column on a screen of two pixels for one, so the image itself is not a choice then. */
const WIDEST = Math.max(...VARIANT_WIDTHS)

const sizeOf = ({ height, width }: ImageRow) => ` width="${width}" height="${height}"`

/** Returns the choice of copies of an image; empty for an image that has none. */
const copiesOf = ({ url, variants, width }: ImageRow) => {
  const widths = Object.keys(variants ?? {}).map(Number)
  if (widths.length === 0) return ""
  const copies = widths.map((it) => `${variantPath(url, it)} ${it}w`)
  if (!widths.includes(WIDEST)) copies.push(`${url} ${width}w`)
  return ` srcset="${copies.join(", ")}" sizes="${SIZES}"`
}

/** The addresses of images where a text is shown. */
interface Places {
  readonly pathOf: (address: string) => string | undefined
  readonly addressOf: (path: string) => string
}

/** Gives these images of a rendered text their addresses and attributes. */
const withAttributes = (
  html: string,
  images: ReadonlyArray<ImageRow>,
  { addressOf, pathOf }: Places,
  attributesOf: (image: ImageRow) => string
) => {
  if (images.length === 0) return html
  const known = new Map(images.map((image) => [image.url, image]))
  return html.replaceAll(IMAGE, (tag, address: string) => {
    const image = known.get(pathOf(address) ?? address)
    if (image === undefined) return tag
    const url = addressOf(image.url)
    return `<img src="${url}"${attributesOf({ ...image, url })}`
  })
}

const hasImages = (html: string) => html.includes("<img")

interface Pictures {
  /** Adds the sizes in pixels to the images of these Posts, so that the texts do not move while images load. */
  readonly sized: (texts: ReadonlyMap<PostId, string>) => Effect.Effect<ReadonlyMap<PostId, string>>
  /** Adds the sizes in pixels, and the smaller copies from which a browser chooses. */
  readonly pictured: (post: PostId, html: Html) => Effect.Effect<Html>
}

/** Makes the functions that complete the images of rendered texts. */
export const makePictures = Effect.gen(function* () {
  const images = yield* imageStatements
  const { pathOf, srcOf, urlOf } = yield* OwnMedia
  const pictures: Pictures = {
    sized: Effect.fnUntraced(function* (texts) {
      const ids = [...texts].flatMap(([id, html]) => (hasImages(html) ? [id] : []))
      const known = ids.length === 0 ? [] : yield* images.of(ids)
      const byPost = Map.groupBy(known, ({ post_id }) => post_id)
      return new Map(
        [...texts].map(([id, html]) => [
          id,
          withAttributes(html, byPost.get(id) ?? [], { pathOf, addressOf: urlOf }, sizeOf)
        ])
      )
    }),
    pictured: Effect.fnUntraced(function* (post, html) {
      const text = html.toString()
      if (!hasImages(text)) return html
      const attributesOf = (image: ImageRow) => `${sizeOf(image)}${copiesOf(image)}`
      return trusted(
        withAttributes(text, yield* images.of([post]), { pathOf, addressOf: srcOf }, attributesOf)
      )
    })
  }
  return pictures
})
