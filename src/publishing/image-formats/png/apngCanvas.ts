import type { ApngFrame } from "./readApng.ts"

/** The canvas of an animated PNG. Its frames are drawn on it one after another. */
export interface ApngCanvas {
  /** Disposes of the frame before, draws this one from its RGBA pixels, and returns the canvas. */
  readonly show: (frame: ApngFrame, pixels: Uint8Array) => Uint8Array
}

/** Lays one pixel over another (13.16 of the PNG standard). Colours are not premultiplied. */
const layOver = (canvas: Uint8Array, to: number, pixels: Uint8Array, from: number) => {
  const alpha = pixels[from + 3] ?? 0
  if (alpha === 0) return
  const below = canvas[to + 3] ?? 0
  const isCovered = alpha === 255 || below === 0
  const over = alpha * 255
  const under = (255 - alpha) * below
  const both = over + under
  // Rounds halves up: the numbers are positive and small.
  for (let channel = 0; channel < 3; channel++) {
    const colour = pixels[from + channel] ?? 0
    canvas[to + channel] = isCovered
      ? colour
      : ((colour * over + (canvas[to + channel] ?? 0) * under) / both + 0.5) | 0
  }
  canvas[to + 3] = isCovered ? alpha : (both / 255 + 0.5) | 0
}

/** Makes an empty canvas. It holds its pixels, and those below the last frame if that frame is to be removed. */
export const makeApngCanvas = (width: number, height: number): ApngCanvas => {
  const canvas = new Uint8Array(width * height * 4)
  let before: { readonly frame: ApngFrame; readonly below: Uint8Array | undefined } | undefined

  const eachRow = (frame: ApngFrame, use: (to: number, from: number, length: number) => void) => {
    const length = frame.width * 4
    for (let row = 0; row < frame.height; row++) {
      use(((frame.y + row) * width + frame.x) * 4, row * length, length)
    }
  }

  const dispose = () => {
    if (before === undefined || before.frame.dispose === "none") return
    const { below, frame } = before
    eachRow(frame, (to, from, length) => {
      if (below === undefined) canvas.fill(0, to, to + length)
      else canvas.set(below.subarray(from, from + length), to)
    })
  }

  const regionOf = (frame: ApngFrame) => {
    const region = new Uint8Array(frame.width * frame.height * 4)
    eachRow(frame, (to, from, length) => region.set(canvas.subarray(to, to + length), from))
    return region
  }

  return {
    show: (frame, pixels) => {
      dispose()
      // The first frame has nothing below it: `background` restores the same.
      const isKept = frame.dispose === "previous" && before !== undefined
      before = { frame, below: isKept ? regionOf(frame) : undefined }
      eachRow(frame, (to, from, length) => {
        if (frame.blend === "source") return canvas.set(pixels.subarray(from, from + length), to)
        for (let place = 0; place < length; place += 4) layOver(canvas, to + place, pixels, from + place)
      })
      return canvas
    }
  }
}
