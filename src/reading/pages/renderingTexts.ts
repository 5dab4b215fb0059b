import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { PagesRepo } from "./PagesRepo.ts"
import { withSizes } from "./withSizes.ts"

/**
 * Makes the functions that render the text of a Post for its page and for feeds, with the sizes of images that the service
 * has. `key` takes turns with the keys of authors who write.
 */
export const renderingTexts = Effect.gen(function* () {
  const { images } = yield* PagesRepo
  const { feedText, pageText } = yield* SectionReader

  const sized = <Text extends { readonly html: string }>(
    render: (key: string, source: string) => Effect.Effect<Text>
  ) =>
    Effect.fnUntraced(function* (key: string, id: PostId, source: string) {
      const text = yield* render(key, source)
      return text.html.includes("<img") ? { ...text, html: withSizes(text.html, yield* images(id)) } : text
    })

  return {
    page: sized(pageText),
    // Feeds do not tell how many words a text has.
    feed: sized((key, source) => Effect.map(feedText(key, source), (html) => ({ html, words: null })))
  }
})
