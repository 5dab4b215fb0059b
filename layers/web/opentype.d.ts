/** The part of the package that the service uses. It ships no types. */
declare module "opentype.js" {
  /** A drawn character of a font. */
  export interface Glyph {
    /** Units of the font. */
    readonly advanceWidth?: number
    readonly getPath: (x: number, y: number, size: number) => { readonly commands: ReadonlyArray<Command> }
  }
  /** A step of an outline, as SVG has it: its letter, and its points in pixels. */
  export interface Command {
    readonly type: "M" | "L" | "Q" | "C" | "Z"
    readonly x1?: number
    readonly y1?: number
    readonly x2?: number
    readonly y2?: number
    readonly x?: number
    readonly y?: number
  }
  export interface Font {
    readonly unitsPerEm: number
    /** Returns 0 for a character without a glyph. */
    readonly charToGlyphIndex: (character: string) => number
    readonly charToGlyph: (character: string) => Glyph
    /** Returns the units by which the second glyph moves away from the first. */
    readonly getKerningValue: (first: Glyph, second: Glyph) => number
  }
  const opentype: {
    /** Reads a TTF, an OTF or a WOFF. */
    readonly parse: (bytes: ArrayBuffer) => Font
  }
  export default opentype
}
