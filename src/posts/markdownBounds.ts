import type { Code, Construct, Extension, Tokenizer } from "micromark-util-types"

/**
 * Steps that the parser may spend on going back over what it has read of a block: some tenths of a second. A text that
 * a person wrote takes thousands, one that was made to be slow takes 10^10.
 */
const STEPS_MAX = 100_000_000

/** How far to the right block quotes and lists may nest; every one of them takes a column at least. */
const CONTAINER_COLUMNS_MAX = 500

/** A text whose brackets, headings or lists cannot be read in reasonable time. */
export class TooComplex extends Error {}

const before = (name: string, codes: string, tokenize: Tokenizer): Record<string, Construct> =>
  Object.fromEntries(
    [...codes].map((character) => [character.charCodeAt(0), { name, tokenize, add: "before" } as const])
  )

/**
 * Bounds on the work of one parse. The parser is quadratic where it goes back to the beginning of a paragraph for every
 * `]`, of all blocks for every underlined heading, and through all containers for every new one. Constructs that match
 * nothing stand before those and count.
 */
export const bounds = (): Extension => {
  let steps = 0
  const goBack: Tokenizer = function (_effects, _ok, nok) {
    steps += this.events.length
    if (steps > STEPS_MAX) throw new TooComplex()
    return nok
  }
  const nest: Tokenizer = function (_effects, _ok, nok) {
    return (code: Code) => {
      if (this.now().column > CONTAINER_COLUMNS_MAX) throw new TooComplex()
      return nok(code)
    }
  }
  return {
    text: before("bracketBound", "]", goBack),
    flow: before("underlineBound", "=-", goBack),
    document: before("containerBound", "*+->0123456789", nest)
  }
}
