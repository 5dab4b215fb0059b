import { Effect } from "effect"
import type { OwnerId, PostId } from "../../../../schemas/platform/Ids.ts"
import { xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import { OwnMedia } from "../../../platform/media/OwnMedia.ts"
import { feedHtml } from "../../../publishing/content/html/absoluteHtml.ts"
import { SectionReader } from "../../../publishing/content/SectionReader.ts"
import { type ImageRow, imagesOfPosts } from "../../../publishing/public-posts/images.sql.ts"
import { variantPath } from "../../../publishing/uploads/operation/objectKeys.ts"
import { postMailOf } from "./postMail.ts"

/** Widest picture of a mail, in pixels of its page. */
const WIDTH_MAX = 560
/** Bytes of a picture up to which a mail shows the public copy itself: classic Outlook shows no WebP. */
const COPY_BYTES_MAX = 1_048_576
/** The smaller copy that stands in for a larger picture. */
const SMALLER = 1280

/** A post as everyone may read it, or as they may once it is published. */
interface ReadablePost {
  readonly id: PostId
  readonly ownerId: OwnerId
  readonly title: string
  readonly author: string
  readonly url: string
  readonly language: string
  /** The price of the part for buyers; null without one. */
  readonly priceRaw: string | null
  /** The text that everyone may read. */
  readonly markdown: string
}

/** An image as the renderer of texts writes it. */
const IMAGE = /<img src="([^"<>\s]*)"/g

const pictureOf = ({ height, public_size, url, variants, width }: ImageRow) => {
  const isHeavy = public_size > COPY_BYTES_MAX && String(SMALLER) in (variants ?? {})
  const shown = Math.min(width, WIDTH_MAX)
  return {
    path: isHeavy ? variantPath(url, SMALLER) : url,
    size: ` width="${shown}" height="${Math.max(1, Math.round((height * shown) / width))}"`
  }
}

/** Makes the function that composes the mail about a post. It never sees what is for buyers at that moment. */
export const makeComposing = Effect.gen(function* () {
  const reader = yield* SectionReader
  const imagesOf = yield* imagesOfPosts
  const { pathOf, publicTextOf, urlOf } = yield* OwnMedia

  /** Gives the images of the service their addresses and sizes. */
  const pictured = Effect.fnUntraced(function* (post: PostId, html: string) {
    if (!html.includes("<img")) return html
    const known = new Map((yield* imagesOf([post])).map((image) => [image.url, pictureOf(image)]))
    return html.replaceAll(IMAGE, (tag, address: string) => {
      const picture = known.get(pathOf(address) ?? address)
      return picture === undefined ? tag : `<img src="${urlOf(picture.path)}"${picture.size}`
    })
  })

  return Effect.fn("composing.mail")(function* (post: ReadablePost) {
    const { author, id, language, markdown: source, ownerId, priceRaw, title, url } = post
    const rendered = yield* reader.pageText(ownerId, { source, url })
    return postMailOf({
      title: title === "" ? "Untitled" : title,
      author,
      url,
      language,
      priceXno: priceRaw === null ? null : xnoOfRaw(BigInt(priceRaw)),
      html: yield* pictured(id, feedHtml(rendered.html, url)),
      markdown: publicTextOf(yield* reader.absoluteMarkdown(ownerId, { source, url }))
    })
  })
})
