import { Effect } from "effect"
import { loadSharp } from "./drawing.ts"

/** Pixels of a side, which phones ask for. */
const SIDE = 180

/** Pixels that stay free at each edge, since phones round the corners. */
const EDGE = 14

/** The paper of our pages. A phone shows what is transparent in black. */
const PAPER = "#fffdf8"

/** Draws an SVG or a PNG of the operator as a square PNG. libvips is loaded for this alone, when the icon is first asked for. */
export const touchIconOf = (picture: Uint8Array): Effect.Effect<Uint8Array<ArrayBuffer>> =>
  Effect.promise(async () => {
    const sharp = await loadSharp()
    const side = SIDE - 2 * EDGE
    const drawn = await sharp(picture)
      .resize(side, side, { fit: "contain", background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .extend({ top: EDGE, bottom: EDGE, left: EDGE, right: EDGE, background: PAPER })
      .flatten({ background: PAPER })
      .png({ palette: true })
      .toBuffer()
    return new Uint8Array(drawn)
  }).pipe(Effect.withSpan("touchIconOf"))
