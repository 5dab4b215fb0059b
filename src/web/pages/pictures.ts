import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { VARIANT_WIDTHS } from "../../../schemas/publishing/uploads/limits.ts"
import { type Html, trusted } from "../../platform/pages/html.ts"
import { variantPath } from "../../publishing/uploads/operation/objectKeys.ts"
import { type ImageRow, pageStatements } from "./pages.sql.ts"

/** An image as the renderer of texts writes it. Addresses of our images have no character that HTML escapes. */
const IMAGE = /<img src="([^"]*)"/g

/**
 * The width of a text's column, which leaves a margin on small screens. It is 41rem at most: one less makes a plain screen
 * take the copy of 640 pixels, which has a third of the bytes of the next one.
 */
const SIZES = "(min-width: 45rem) 40rem, 92vw"

/** The widest copy fills the column on a screen of two pixels for one, so the image itself is no choice then. */
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

/** Adds attributes to these images of a rendered text. */
const withAttributes = (
  html: string,
  images: ReadonlyArray<ImageRow>,
  attributesOf: (image: ImageRow) => string
) => {
  const known = new Map(images.map((image) => [image.url, image]))
  return html.replaceAll(IMAGE, (tag, url: string) => {
    const image = known.get(url)
    return image === undefined ? tag : `${tag}${attributesOf(image)}`
  })
}

/** Adds what the service knows of the images of a Post to its rendered text. */
type Adding = (post: PostId, html: Html) => Effect.Effect<Html>

interface Pictures {
  /** Adds the sizes in pixels, so that the text does not move while images load. */
  readonly sized: Adding
  /** Adds the sizes in pixels, and the smaller copies from which a browser chooses. */
  readonly pictured: Adding
}

/** Makes the functions that complete the images of rendered texts. */
export const makePictures = Effect.map(pageStatements, ({ images }): Pictures => {
  const adding = (attributesOf: (image: ImageRow) => string): Adding =>
    Effect.fnUntraced(function* (post: PostId, html: Html) {
      const text = html.toString()
      return text.includes("<img") ? trusted(withAttributes(text, yield* images(post), attributesOf)) : html
    })
  return {
    sized: adding(sizeOf),
    pictured: adding((image) => `${sizeOf(image)}${copiesOf(image)}`)
  }
})
