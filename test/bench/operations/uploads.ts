import { randomUUID } from "node:crypto"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import sharp from "sharp"
import { bearer, type LoadRequest, type Operation } from "../operation.ts"
import type { Seed } from "../seed/seed.ts"
import type { Server } from "../servers.ts"

const BOUNDARY = "----pennypress-bench-boundary"
/** Authors, with one Post each. */
const AUTHORS = 1_000
const IMAGES = 8
/** Requests that were cut off at the end of a round end meanwhile. */
const PAUSE_MILLIS = 500

/** Exif of a camera, for the service to strip. */
const exif = { IFD0: { Make: "Pennypress" }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "52/1 31/1 12/1" } }

/** Makes a JPEG of about 200 kB: noise is as hard to encode as the grain of a photograph. */
const photograph = () => {
  const noise = { type: "gaussian", mean: 128, sigma: 24 } as const
  const create = { width: 800, height: 600, channels: 3, background: "gray", noise } as const
  return sharp({ create }).withExif(exif).jpeg({ quality: 82 }).toBuffer()
}

const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="photograph"\r\ncontent-type: image/jpeg\r\n\r\n`

const bodyOf = (image: Buffer) =>
  Buffer.concat([Buffer.from(head), image, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)])

/** Forgets all uploads, and leaves the directories, which the server knows to be there. */
const forget = async ({ data, database }: Server) => {
  await pause(PAUSE_MILLIS)
  await database.rows("truncate upload_operations, upload_transfers")
  for (const entry of readdirSync(join(data, "objects"), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) rmSync(join(entry.parentPath, entry.name), { force: true })
}

/** Uploads a photograph for the Post of one author after the other. */
export const uploadOf = async ({ posts }: Seed): Promise<Operation> => {
  const targets = posts.slice(0, AUTHORS)
  const images = await Promise.all(Array.from({ length: IMAGES }, photograph))
  const bodies = images.map(bodyOf)
  let turn = 0
  const request = (): LoadRequest => {
    const { id, key, revision } = targets[turn % targets.length]!
    return {
      method: "POST",
      path: `/api/v1/posts/${id}/images`,
      headers: {
        ...bearer(key),
        "idempotency-key": randomUUID(),
        "x-post-revision": revision,
        "x-upload-target-key": "node-1",
        "content-type": `multipart/form-data; boundary=${BOUNDARY}`
      },
      body: bodies[turn++ % bodies.length]!
    }
  }
  const title = "Admit a JPEG of 200 kB, screening put off"
  return { name: "upload", title, statuses: [202], isCompared: true, request, forget }
}
