import { Effect } from "effect"
import { LRUCache } from "lru-cache"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import { Assets } from "../../platform/ports/Assets.ts"
import { fewAtOnce } from "../../platform/sql/fewAtOnce.ts"
import { cardWordsStatements } from "../../publishing/public-posts/cardWords.sql.ts"
import { type CardName, makeCardName } from "./cardNames.ts"

/** Bytes of drawn pictures that are kept: some three hundred. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024

/** A picture takes up to a tenth of a second of a processor. One is drawn at a time, and authors take turns. */
const DRAWN_AT_ONCE = 1

/** Makes the functions that name the picture of a public Post, and draw pictures. */
export const makeCardPictures = Effect.gen(function* () {
  const { cardPictureOf } = yield* Assets
  const statements = yield* cardWordsStatements
  const cardName = yield* makeCardName
  const inTurn = fewAtOnce(DRAWN_AT_ONCE, "pictures")
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: KEPT_BYTES_MAX,
    sizeCalculation: ({ byteLength }) => byteLength
  })

  /** Returns a kept picture, or draws it. */
  const drawn = ({ version, words }: CardName) =>
    Effect.suspend(() => {
      const picture = kept.get(version)
      if (picture !== undefined) return Effect.succeed(picture)
      return Effect.tap(cardPictureOf(words), (bytes) => Effect.sync(() => kept.set(version, bytes)))
    })

  return {
    /** Returns the picture of a public Post, not yet drawn. */
    ofPublic: Effect.fnUntraced(function* (id: PostId) {
      const row = yield* statements.of(id)
      return cardName(id, yield* Effect.mapError(Effect.fromOption(row), () => new NotFound()))
    }),
    /** Returns the file of a picture. One that was drawn waits for no turn. Readers who wait for the same picture share one drawing. */
    fileOf: (card: CardName) =>
      Effect.suspend(() => (kept.has(card.version) ? drawn(card) : inTurn(card.words.handle)(drawn(card))))
  }
})
