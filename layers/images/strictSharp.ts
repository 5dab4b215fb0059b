import sharp, { type SharpOptions } from "sharp"
import { FRAME_PIXELS_MAX } from "../../schemas/publishing/uploads/limits.ts"

type Reason = "undecodable" | "too_many_representations" | "too_many_pixels"

/** The image will never decode, for this reason. */
export class Unreadable extends Error {
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}

// libvips decodes dozens of formats under any name, and caches files and results: all of it is off here.
sharp.cache(false)
sharp.concurrency(1)
sharp.block({ operation: ["VipsForeignLoad"] })
sharp.unblock({
  operation: [
    "VipsForeignLoadPngBuffer",
    "VipsForeignLoadJpegBuffer",
    "VipsForeignLoadWebpBuffer",
    "VipsForeignLoadNsgifBuffer"
  ]
})

/** Options of every decoding: nothing is repaired, and no picture is larger than the limit. */
export const strict: SharpOptions = {
  failOn: "warning",
  sequentialRead: true,
  limitInputPixels: FRAME_PIXELS_MAX
}

// Errors of the machine rather than the image.
const isShortage = (cause: unknown) => /out of memory|allocat/iu.test(String(cause))

/** Turns a refusal of sharp into `Unreadable`. */
export const decoding = async <A>(decode: () => Promise<A>): Promise<A> => {
  try {
    return await decode()
  } catch (cause) {
    throw isShortage(cause) ? cause : new Unreadable("undecodable")
  }
}
