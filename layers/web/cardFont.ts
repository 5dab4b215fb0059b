import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { Command, Font, Glyph } from "opentype.js"

/** Files of Alegreya, a typeface for literature (OFL). A character is taken from the first that has it. */
const SUBSETS = ["latin", "latin-ext", "cyrillic", "cyrillic-ext", "greek", "greek-ext", "vietnamese"]

/** Maximum number of characters that are drawn. A text is longer only where one of its characters is drawn as several. */
const CHARACTERS_MAX = 300

/** Characters that carry meaning, so that a text without them would say something else. */
const MEANING = /[\p{L}\p{N}\p{Mn}\p{Mc}]/u

/** The typeface of drawn pictures. Its texts become outlines, so that a picture needs no font of the machine. */
export interface CardFont {
  /**
   * Returns a text as it can be drawn, on one line and without invisible characters. Symbols without a glyph, such as emoji, become
   * spaces. Returns undefined for a text that has a letter or a digit without a glyph, and for one with nothing else.
   */
  readonly drawable: (text: string) => string | undefined
  /** Returns the width of a drawable text at this size in pixels. */
  readonly widthOf: (text: string, size: number) => number
  /** Returns as many of the first characters of a drawable text as fit into this width. */
  readonly beginningOf: (text: string, size: number, width: number) => string
  /** Returns the outline of a drawable text as the data of an SVG path, from this point of its baseline. */
  readonly pathOf: (text: string, size: number, x: number, y: number) => string
}

/** A character as a font draws it. */
interface Drawn {
  readonly font: Font
  readonly glyph: Glyph
  /** The width, as a part of the size. */
  readonly width: number
}

/** Writes a step of an outline to a tenth of a pixel. That of the package keeps each number that it ever wrote. */
const stepOf = ({ type, x, x1, x2, y, y1, y2 }: Command) =>
  `${type}${[x1, y1, x2, y2, x, y]
    .filter((it) => it !== undefined)
    .map((it) => Math.round(it * 10) / 10)
    .join(" ")}`

const fontOf = (fonts: ReadonlyArray<Font>): CardFont => {
  /** The characters that have a glyph. There are some two thousand. */
  const known = new Map<string, Drawn>()
  const drawnOf = (character: string): Drawn | undefined => {
    const drawn = known.get(character)
    if (drawn !== undefined) return drawn
    const font = fonts.find((it) => it.charToGlyphIndex(character) > 0)
    if (font === undefined) return undefined
    const glyph = font.charToGlyph(character)
    const found = { font, glyph, width: (glyph.advanceWidth ?? 0) / font.unitsPerEm }
    known.set(character, found)
    return found
  }

  const drawnAs = (character: string): string | undefined => {
    if (drawnOf(character) !== undefined) return character
    const plain = character.normalize("NFKC")
    if ([...plain].every((it) => drawnOf(it) !== undefined)) return plain
    return MEANING.test(character) ? undefined : " "
  }

  /** Calls back for each glyph with its distance from the beginning until it returns false. Returns the width. Both are in sizes. */
  const walk = (text: string, place?: (drawn: Drawn, at: number) => boolean) => {
    let width = 0
    let before: Drawn | undefined
    for (const character of text) {
      const drawn = drawnOf(character)
      if (drawn === undefined) continue
      const { font, glyph } = drawn
      if (before?.font === font) width += font.getKerningValue(before.glyph, glyph) / font.unitsPerEm
      if (place?.(drawn, width) === false) break
      width += drawn.width
      before = drawn
    }
    return width
  }

  return {
    drawable: (text) => {
      const drawn = [
        ...text
          .normalize("NFC")
          .replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
          .replaceAll(/[\s\p{Cc}]+/gu, " ")
      ].map(drawnAs)
      if (drawn.includes(undefined)) return undefined
      const line = drawn.join("").replaceAll(/ +/g, " ").trim().slice(0, CHARACTERS_MAX).trimEnd()
      return line === "" ? undefined : line
    },
    widthOf: (text, size) => walk(text) * size,
    beginningOf: (text, size, width) => {
      let count = 0
      walk(text, (drawn, at) => {
        const fits = (at + drawn.width) * size <= width
        if (fits) count++
        return fits
      })
      return [...text].slice(0, count).join("")
    },
    pathOf: (text, size, x, y) => {
      const steps: Array<string> = []
      walk(text, ({ glyph }, at) => {
        for (const command of glyph.getPath(x + at * size, y, size).commands) steps.push(stepOf(command))
        return true
      })
      return steps.join("")
    }
  }
}

/** Reads the typeface from its package. It and its reader are loaded for this alone. */
export const loadCardFont = async (): Promise<CardFont> => {
  const {
    default: { parse }
  } = await import("opentype.js")
  const { resolve } = createRequire(import.meta.url)
  const fonts = await Promise.all(
    SUBSETS.map(async (subset) => {
      const bytes = await readFile(resolve(`@fontsource/alegreya/files/alegreya-${subset}-700-normal.woff`))
      return parse(new Uint8Array(bytes).buffer)
    })
  )
  return fontOf(fonts)
}
