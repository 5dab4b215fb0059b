import { Effect } from "effect"
import { CARD_HEIGHT, CARD_WIDTH, type CardWords } from "../../src/platform/ports/Assets.ts"
import { type CardFont, loadCardFont } from "./cardFont.ts"
import { loadSharp } from "./drawing.ts"

const EDGE = 84
const WIDTH = CARD_WIDTH - 2 * EDGE

/** The place of the title, from top to bottom. */
const TITLE = { top: 156, bottom: 478 }

/** Sizes of a title in pixels. The largest is taken in which the title is whole. */
const TITLE_SIZES = [96, 80, 68, 58, 50]
const LINE_HEIGHT = 1.14

/** The height of a capital letter, as a part of the size. */
const CAPITAL = 0.64

const PAPER = "#fffdf8"
const INK = "#1f1b16"
const MUTED = "#6b6257"

/** Shortens a text to a width, with an ellipsis where it was cut. */
const fitting = (font: CardFont, text: string, size: number, width: number): string => {
  if (font.widthOf(text, size) <= width) return text
  const room = width - font.widthOf("…", size)
  return `${font.beginningOf(text, size, room).trimEnd()}…`
}

/** Breaks a text into lines, at spaces; a word that is wider than a line breaks anywhere. */
const linesOf = (font: CardFont, text: string, size: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  const fits = (longer: string) => font.widthOf(longer, size) <= WIDTH
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`
    if (fits(longer)) {
      line = longer
      continue
    }
    if (line !== "") lines.push(line)
    line = word
    while (!fits(line)) {
      const beginning = font.beginningOf(line, size, WIDTH)
      lines.push(beginning)
      line = line.slice(beginning.length)
    }
  }
  return line === "" ? lines : [...lines, line]
}

/** Returns the lines of a title in the largest size that holds it. The smallest one holds its beginning. */
const titleOf = (font: CardFont, text: string) => {
  let lines: ReadonlyArray<string> = []
  let size = 0
  for (size of TITLE_SIZES) {
    const count = Math.floor((TITLE.bottom - TITLE.top) / (size * LINE_HEIGHT))
    lines = linesOf(font, text, size)
    if (lines.length <= count) return { lines, size }
    lines = [...lines.slice(0, count - 1), fitting(font, lines.slice(count - 1).join(" "), size, WIDTH)]
  }
  return { lines, size }
}

/**
 * Returns the picture as an SVG of outlines: no text of an author is in it, so none can be markup. A title in a script without
 * glyphs is left out, and the author stands in its place.
 */
export const cardSvg = (font: CardFont, { accent, handle, host, name, site, title }: CardWords): string => {
  const who = `@${handle}`
  const author = font.drawable(name)
  const headline = font.drawable(title) ?? author ?? who
  const { lines, size } = titleOf(font, headline)
  const height = (lines.length - 1) * size * LINE_HEIGHT + size * CAPITAL
  const first = (TITLE.top + TITLE.bottom - height) / 2 + size * CAPITAL
  const text = (fill: string, words: string, at: number, y: number, x = EDGE) =>
    `<path fill="${fill}" d="${font.pathOf(fitting(font, words, at, CARD_WIDTH - EDGE - x), at, x, y)}"/>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${CARD_WIDTH}" height="${CARD_HEIGHT}">`,
    `<rect width="100%" height="100%" fill="${PAPER}"/><rect width="100%" height="14" fill="${accent}"/>`,
    text(accent, font.drawable(site) ?? host, 38, 112),
    ...lines.map((line, index) => text(INK, line, size, first + index * size * LINE_HEIGHT)),
    author === undefined || author === headline ? "" : text(INK, author, 40, 526),
    headline === who ? "" : text(MUTED, who, 32, 570),
    "</svg>"
  ].join("")
}

/** Colours of the picture file: a text on paper has few. */
const PNG = { palette: true, colours: 64, effort: 4 }

const loading = Effect.cached(Effect.promise(loadCardFont))

/** Makes the function that draws the pictures of shared links. The first picture loads the typeface and libvips. */
export const makeCardPictures = Effect.map(loading, (font) =>
  Effect.fn("cardPictureOf")(function* (words: CardWords) {
    const svg = cardSvg(yield* font, words)
    return yield* Effect.promise(async () => {
      const sharp = await loadSharp()
      return new Uint8Array(await sharp(Buffer.from(svg)).png(PNG).toBuffer())
    })
  })
)
