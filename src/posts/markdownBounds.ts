import type { gfmTable } from "micromark-extension-gfm-table"

/** An extension of the parser, and the constructs that it is made of. */
export type ParserExtension = ReturnType<typeof gfmTable>
type Construct = Exclude<NonNullable<ParserExtension["text"]>[string], ReadonlyArray<unknown> | undefined>
type Tokenizer = Construct["tokenize"]
type Token = ThisParameterType<Tokenizer>["events"][number][1]

/** Events of a block that the parser may go over again; a text that a person wrote takes thousands. */
const SEEN_AGAIN_MAX = 500_000_000
/** An underlined heading moves the events and does not only look at them. */
const UNDERLINE_WEIGHT = 25
/** As {@link SEEN_AGAIN_MAX} for the events within brackets, which it copies over and over. */
const COPIED_MAX = 5_000_000

/** How far to the right block quotes and lists may nest; every one of them takes a column at least. */
const CONTAINER_COLUMNS_MAX = 500

/** A text whose brackets, headings or lists cannot be read in reasonable time. */
export class TooComplex extends Error {}

const before = (name: string, codes: string, tokenize: Tokenizer): Record<string, Construct> =>
  Object.fromEntries(
    [...codes].map((character) => [character.charCodeAt(0), { name, tokenize, add: "before" } as const])
  )

const isOpenBracket = (token: Token) =>
  (token.type === "labelImage" || token.type === "labelLink") && token._balanced !== true

/**
 * Bounds on the work of one parse. The parser is quadratic where it goes back to the beginning of a bracket or of a
 * paragraph for every `]`, of all blocks for every underlined heading, and through all containers for every new one.
 * Constructs that match nothing stand before those and count.
 */
export const bounds = (): ParserExtension => {
  let seenAgain = 0
  let copied = 0
  const closeBracket: Tokenizer = function (_effects, _ok, nok) {
    seenAgain += this.events.length
    for (let at = this.events.length - 1; at >= 0; at--, copied++) {
      const event = this.events[at]
      if (event !== undefined && isOpenBracket(event[1])) break
    }
    if (seenAgain > SEEN_AGAIN_MAX || copied > COPIED_MAX) throw new TooComplex()
    return nok
  }
  const underline: Tokenizer = function (_effects, _ok, nok) {
    seenAgain += this.events.length * UNDERLINE_WEIGHT
    if (seenAgain > SEEN_AGAIN_MAX) throw new TooComplex()
    return nok
  }
  const nest: Tokenizer = function (_effects, _ok, nok) {
    return (code) => {
      if (this.now().column > CONTAINER_COLUMNS_MAX) throw new TooComplex()
      return nok(code)
    }
  }
  return {
    text: before("bracketBound", "]", closeBracket),
    flow: before("underlineBound", "=-", underline),
    document: before("containerBound", "*+->0123456789", nest)
  }
}
