import { Effect } from "effect"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Site } from "../../platform/pages/Site.ts"
import { AnswerBytes } from "../../platform/ports/AnswerBytes.ts"
import type { CardWords } from "../../platform/ports/Assets.ts"
import type { CardWordsRow } from "../../publishing/public-posts/cardWords.sql.ts"

/** The number of the template. A changed template gives all pictures new addresses. */
const TEMPLATE = 1

/** Characters of a digest that an address has. */
const VERSION_LENGTH = 16

const encoder = new TextEncoder()

/** The picture of a shared link: its words, and its address, which changes with them. */
export interface CardName {
  readonly words: CardWords
  readonly version: string
  readonly path: string
}

/** Makes the function that names the picture of a Post whose author chose none. */
export const makeCardName = Effect.gen(function* () {
  const { accent, baseUrl, name: site } = yield* Site
  const { digest } = yield* AnswerBytes
  const host = new URL(baseUrl).hostname

  return (id: PostId, { handle, name, title }: CardWordsRow): CardName => {
    const words = { title, name, handle, site, host, accent }
    const text = JSON.stringify([TEMPLATE, title, name, handle, site, host, accent])
    const version = digest(encoder.encode(text)).slice(0, VERSION_LENGTH)
    return { words, version, path: `/cards/${id}/${version}.png` }
  }
})

/** Returns the address of the picture of a draft, which only its author sees. */
export const draftCardPath = (id: PostId): string => `/write/${id}/card.png`
