import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { PagesRepo } from "./PagesRepo.ts"
import { withSizes } from "./withSizes.ts"

/** A text as HTML. Feeds do not tell how many words it has. */
interface RenderedText<Words> {
  readonly html: string
  readonly words: Words
}

type Render<Words> = (key: string, source: string) => Effect.Effect<RenderedText<Words>>

/**
 * Makes the functions that render the text of a Post for its page and for feeds, with the sizes of images that the service
 * has. `key` takes turns with the keys of authors who write.
 */
export const renderingTexts = Effect.gen(function* () {
  const { images } = yield* PagesRepo
  const { feedText, pageText } = yield* SectionReader

  const sized = <Words>(render: Render<Words>) =>
    Effect.fnUntraced(function* (key: string, id: PostId, source: string) {
      const { html, words } = yield* render(key, source)
      return { html: html.includes("<img") ? withSizes(html, yield* images(id)) : html, words }
    })

  return {
    page: sized(pageText),
    feed: sized((key, source) => Effect.map(feedText(key, source), (html) => ({ html, words: null })))
  }
})
