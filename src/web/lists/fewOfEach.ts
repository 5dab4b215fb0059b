import type { CardView } from "../pages/parts/views.ts"

/** Cards among which an author has at most {@link OF_EACH}. */
const WINDOW = 10
const OF_EACH = 2

/** Authors from which a list is mixed: as many fill ten cards with two of each. */
const AUTHORS_MIN = WINDOW / OF_EACH

/** A card, and the Posts of the same author that follow and stand below it as links. */
export interface CardEntry {
  readonly card: CardView
  readonly more: ReadonlyArray<CardView>
}

/**
 * Returns the cards of a mixed list, in their order, with at most two of an author in each ten. Every other Post stands below the
 * last card of its author, so a page shows each of its Posts once. A list of few authors stays as it is.
 */
export const fewOfEach = (posts: ReadonlyArray<CardView>): ReadonlyArray<CardEntry> => {
  const isMixed = new Set(posts.map(({ author }) => author.handle)).size >= AUTHORS_MIN
  const entries: Array<{ readonly card: CardView; readonly more: Array<CardView> }> = []
  for (const card of posts) {
    const near = isMixed
      ? entries.slice(1 - WINDOW).filter((entry) => entry.card.author.handle === card.author.handle)
      : []
    if (near.length < OF_EACH) entries.push({ card, more: [] })
    else near.at(-1)?.more.push(card)
  }
  return entries
}
