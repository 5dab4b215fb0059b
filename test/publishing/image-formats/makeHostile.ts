import { gifComment, gifFrame, gifOfBlocks, gifOfStubs } from "./gif/makeGif.ts"
import { jpegOf, jpegSegment } from "./jpeg/makeJpeg.ts"
import {
  frameControl,
  pngChunk,
  pngContainer,
  pngHeader,
  pngOf,
  pngOfChunks,
  pngPixels
} from "./png/makePng.ts"
import { be32, bytesOf, le16 } from "./shared/makeBytes.ts"
import { planted } from "./shared/makeMetadata.ts"
import { webpAnimation, webpFrame, webpHeader, webpOf, webpOfChunks, webpStub } from "./webp/makeWebp.ts"

/** Small files that would decode to a huge number of pixels. */
export const bombs = {
  /** 10 GB of pixels in 70 bytes. */
  png: () => pngContainer(60_000, 60_000),
  /** Frames of a canvas each, in 20 bytes each. */
  gif: () => gifOfStubs(1000, 1000, 10_000),
  apng: () => {
    const controls = Array.from({ length: 99_999 }, (_, at) => frameControl(at + 1, 100, 100))
    return pngOfChunks(
      pngHeader(100, 100),
      pngChunk("acTL", bytesOf(be32(1), be32(0))),
      frameControl(0, 100, 100),
      pngChunk("IDAT", pngPixels(100, 100)),
      new Uint8Array(Buffer.concat(controls)),
      pngChunk("IEND")
    )
  },
  webp: () => webpOfChunks(webpHeader(0x02, 16_383, 16_383), webpAnimation, webpFrame(1, 1, webpStub(1, 1)))
} as const

const HTML = `<html><script>/* ${planted.trailer} */ alert(1)</script>`
/** The end record of an empty ZIP, which makes any preceding bytes a ZIP. */
const ZIP = bytesOf(
  "PK\u0005\u0006",
  Array.from({ length: 18 }, () => 0),
  planted.trailer
)

/** Files that are valid in an image format and in another format, too. */
export const polyglots = {
  /** `GIF89a/*` begins a comment of JavaScript, and a screen of 10,799 × 1 pixels. */
  gifScript: () =>
    bytesOf(
      "GIF89a/*",
      le16(1),
      [0, 0, 0],
      gifComment(`*/=1;alert("${planted.comment}");/*`),
      gifFrame(1, 1),
      0x3b
    ),
  jpegZip: () => jpegOf({ trailer: ZIP }),
  jpegHtml: () => jpegOf({ segments: [jpegSegment(0xfe, HTML)] }),
  pngHtml: () => pngOf({ trailer: bytesOf(HTML) }),
  gifZip: () => bytesOf(gifOfStubs(1, 1, 1), ZIP),
  webpHtml: async () => bytesOf(await webpOf(), HTML)
} as const

/** Images with different sizes in their header and their pixels. */
export const liars = {
  /** A canvas of 64 × 64 with the pixels of 4 × 3. */
  png: () => pngOfChunks(pngHeader(64, 64), pngChunk("IDAT", pngPixels(4, 3)), pngChunk("IEND")),
  /** VP8X says 64 × 64, its picture 16 × 8. */
  webp: async () => {
    const picture = (await webpOf()).subarray(12)
    return webpOfChunks(webpHeader(0, 64, 64), picture)
  },
  /** The frame says 32 × 32, its picture 16 × 8. */
  animatedWebp: async () =>
    webpOfChunks(webpHeader(2, 32, 32), webpAnimation, webpFrame(32, 32, (await webpOf()).subarray(12))),
  /** A frame of a GIF beyond its screen. */
  gif: () => gifOfBlocks(1, 1, gifFrame(4, 2, 1, 4, 2))
} as const
