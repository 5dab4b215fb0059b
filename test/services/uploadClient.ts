import { createHash } from "node:crypto"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted, Result } from "effect"
import { Reactivity } from "effect/reactivity"
import sharp from "sharp"
import { onRealClock } from "../../layers/time/realClock.ts"
import { readContainer } from "../../src/publishing/image-formats/container.ts"
import { publicCopyOf } from "../../src/publishing/image-formats/publicCopy.ts"
import { marker } from "../layers/scanner/scannerBytes.ts"
import { gifComment, gifControl, gifFrame, gifOfBlocks } from "../publishing/image-formats/gif/makeGif.ts"
import { jpegOf, jpegSegment } from "../publishing/image-formats/jpeg/makeJpeg.ts"
import {
  pngChunk,
  pngHeader,
  pngOf,
  pngOfChunks,
  pngPixels
} from "../publishing/image-formats/png/makePng.ts"
import { bytesOf, inserted, noise } from "../publishing/image-formats/shared/makeBytes.ts"
import { emptyDatabase } from "../support/Database.ts"
import { TestClient, type TestAnswer } from "../support/TestClient.ts"

/** Settings of a program that screens with a test clamd, whose signatures have no date. */
export const SCREENING = {
  SERVER_SECRET: "a secret that these tests share and nobody else",
  RATE_LIMIT_FACTOR: "1000000",
  SCANNER_DEFINITIONS_MAX_AGE_DAYS: "off",
  LOG_LEVEL: "info"
} as const

/** An empty database on the oldest supported server, or on the server of the run. */
export const uploadsDatabase = (name: string) => {
  const server = process.env["SERVICES_POSTGRES15_URL"]
  return emptyDatabase(name, server === undefined ? {} : { server })
}

/** A connection of the test, closed with the scope. */
export const connectionTo = (url: Redacted.Redacted) =>
  PgClient.make({ url, maxConnections: 1 }).pipe(Effect.provide(Reactivity.layer), onRealClock)

/** The client's view of an unanswered request. */
const LOST: TestAnswer = {
  status: 0,
  headers: new Headers(),
  bytes: new Uint8Array(),
  text: "",
  body: null
}

const askOver = async (url: string, init: RequestInit): Promise<TestAnswer> => {
  try {
    const answer = await fetch(url, init)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const text = new TextDecoder().decode(bytes)
    const isJson = /json/u.test(answer.headers.get("content-type") ?? "")
    const { headers, status } = answer
    return { status, headers, bytes, text, body: isJson ? JSON.parse(text) : null }
  } catch {
    return LOST
  }
}

/** The client over real sockets. A request whose connection breaks is answered with status 0. */
export const clientOver = (origin: string) =>
  TestClient.of({
    send: (method, path, { body, headers = {}, token } = {}) => {
      const isBytes = body instanceof Uint8Array
      // `fetch` counts the length itself.
      const { "content-length": _, ...sent } = headers
      return Effect.promise(() =>
        askOver(`${origin}${path}`, {
          method,
          headers: {
            ...(body === undefined || isBytes ? {} : { "content-type": "application/json" }),
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...sent
          },
          ...(body === undefined
            ? {}
            : { body: isBytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) })
        })
      )
    }
  })

export const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const digestOf = async (url: string) => {
  const answer = await fetch(url)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return answer.status === 200 ? sha256Of(bytes) : `${answer.status}`
}

/** Returns the digest of the bytes at the path of a URL, or the status without them. */
export const publicDigest = (origin: string, url: string) =>
  Effect.promise(() => digestOf(`${origin}${new URL(url).pathname}`))

/** A file that a client sends and its expected end; a `refused` file is never received. */
export interface SampleImage {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly deserves: "cleared" | "rejected" | "failed" | "refused"
  /** SHA-256 of the public copy. */
  readonly publicSha256: string
}

const SIDE = 48

const pixels = (seed: number) =>
  sharp(noise(seed, SIDE * SIDE * 3), { raw: { width: SIDE, height: SIDE, channels: 3 } })

const gif = (seed: number, ...before: ReadonlyArray<Uint8Array>) =>
  gifOfBlocks(8, 8, ...before, gifControl(), gifFrame(8, 8, seed))

type Maker = (seed: number) => Promise<Uint8Array> | Uint8Array

const sound: Readonly<Record<string, Maker>> = {
  "image/png": (seed) =>
    pngOf({ width: SIDE, height: SIDE, seed, after: [pngChunk("tEXt", bytesOf("Comment\0", `${seed}`))] }),
  "image/jpeg": (seed) => jpegOf({ width: SIDE, height: SIDE, seed }),
  "image/webp": async (seed) => new Uint8Array(await pixels(seed).webp({ lossless: true }).toBuffer()),
  "image/gif": (seed) => gif(seed, gifComment(`number ${seed}`))
}

const infected: Readonly<Record<string, Maker>> = {
  "image/png": (seed) =>
    pngOf({ width: SIDE, height: SIDE, seed, before: [pngChunk("tEXt", bytesOf("Comment\0", marker))] }),
  "image/jpeg": (seed) =>
    jpegOf({ width: SIDE, height: SIDE, seed, segments: [jpegSegment(0xfe, bytesOf(marker))] }),
  "image/gif": (seed) => gif(seed, gifComment(marker.toString("latin1")))
}

/** A container whose pixels end early. */
const broken = (seed: number) =>
  pngOfChunks(
    pngHeader(SIDE, SIDE),
    pngChunk("IDAT", pngPixels(SIDE, SIDE, seed).subarray(0, 2000)),
    pngChunk("IEND")
  )

const copyOf = (bytes: Uint8Array, mediaType: string) => {
  const container = readContainer(bytes, mediaType)
  return Result.isSuccess(container) ? sha256Of(publicCopyOf(bytes, container.success)) : "none"
}

/** Returns the image of a number. Of 20 images, 15 are sound. */
export const sampleImage = (number: number): Effect.Effect<SampleImage> =>
  Effect.promise(async () => {
    const seed = number + 1
    const of = async (mediaType: string, make: Maker | undefined, deserves: SampleImage["deserves"]) => {
      const bytes = await (make ?? broken)(seed)
      return { mediaType, bytes, deserves, publicSha256: copyOf(bytes, mediaType) }
    }
    const kind = number % 20
    const [png, jpeg, webp, gif] = ["image/png", "image/jpeg", "image/webp", "image/gif"] as const
    if (kind === 3) return of(png, infected[png], "rejected")
    if (kind === 8) return of(jpeg, infected[jpeg], "rejected")
    if (kind === 13) return of(gif, infected[gif], "rejected")
    if (kind === 17) return of(png, broken, "failed")
    if (kind === 19)
      return of(png, (it) => pngOf({ width: SIDE, height: SIDE, seed: it }).subarray(0, 3000), "refused")
    const mediaType = [png, jpeg, webp, gif][number % 4] ?? png
    return of(mediaType, sound[mediaType], "cleared")
  })

/** Makes a sound PNG of this many bytes. The filling is in a chunk that the public copy leaves out. */
export const pngOfSize = (size: number, seed: number): Uint8Array => {
  const bare = pngOf({ width: SIDE, height: SIDE, seed })
  return inserted(bare, bare.length - 12, pngChunk("teSt", noise(seed, size - bare.length - 12)))
}

/** Makes a sound PNG of about this many bytes of pixels, so that its public copy is as large. */
export const pngOfPixels = (size: number, seed: number): Uint8Array => {
  const side = Math.floor(Math.sqrt(size / 4))
  return pngOf({ width: side, height: side, seed })
}

/** Returns the keys of the objects in the directory of a program. */
export const objectsIn = (dataDirectory: string): ReadonlyArray<string> => {
  const walk = (directory: string, parent: string): ReadonlyArray<string> =>
    existsSync(directory)
      ? readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
          entry.isDirectory()
            ? walk(join(directory, entry.name), `${parent}${entry.name.replace(/~$/u, "")}/`)
            : [`${parent}${entry.name}`]
        )
      : []
  return walk(join(dataDirectory, "objects", "objects"), "").toSorted()
}
