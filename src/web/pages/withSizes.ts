import type { ImageRow } from "./pages.sql.ts"

/** An image as the renderer of texts writes it. Addresses of our images have no character that HTML escapes. */
const IMAGE = /<img src="([^"]*)"/g

/** Adds the sizes of these images to a rendered text, so that it does not move while they load. */
export const withSizes = (html: string, images: ReadonlyArray<ImageRow>): string => {
  const sizes = new Map(images.map((image) => [image.url, image]))
  return html.replaceAll(IMAGE, (tag, url: string) => {
    const size = sizes.get(url)
    return size === undefined ? tag : `${tag} width="${size.width}" height="${size.height}"`
  })
}
