import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage } from "node:http"
import { buffer } from "node:stream/consumers"
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import { listening } from "../../../support/listening.ts"

interface Held {
  readonly bytes: Buffer
  readonly contentType: string
}

interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

const BUCKET = "pennypress"
const PAGE = 3

const error = (status: number, code: string): Answer => ({
  status,
  // The words of a store may be anything, and often repeat the access key and the signed text.
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret told</Message></Error>`
})

const ok = (body = ""): Answer => ({ status: 200, body: `<?xml version="1.0"?>${body}` })

const digestOf = (name: string, bytes: Buffer) => createHash(name).update(bytes).digest("base64")

/**
 * A store that refuses checksums, with this status and code, that takes so long to answer, or whose clock is so far
 * ahead.
 */
export interface Peculiar {
  readonly refusal?: readonly [status: number, code: string]
  readonly answerMillis?: number
  readonly aheadMillis?: number
}

/** The difference of clocks that S3 accepts. */
const SKEW_MILLIS_MAX = 15 * 60_000

/** Returns the moment when a request was signed, as its client knows it. */
const signedAt = ({ headers }: IncomingMessage) =>
  Date.parse(String(headers["x-amz-date"]).replace(/(....)(..)(..)T(..)(..)(..)Z/, "$1-$2-$3T$4:$5:$6Z"))

const hasSha256 = ({ headers }: IncomingMessage, body: Buffer) =>
  Object.keys(headers).some((name) => /^x-amz-(?:sdk-)?checksum-/.test(name)) ||
  body.includes("ChecksumSHA256")

const rangeOf = (header: string | undefined, size: number) => {
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header ?? "") ?? []
  if (first === undefined) return undefined
  return { start: Number(first), end: Math.min(size, last ? Number(last) + 1 : size) }
}

/** Answers the requests of the adapter as S3 does, from one bucket in memory. Ignores signatures. */
const makeStore = ({ refusal }: Peculiar) => {
  const isIntact = ({ headers }: IncomingMessage, body: Buffer) =>
    headers["content-md5"] === digestOf("md5", body) &&
    (refusal !== undefined || headers["x-amz-checksum-sha256"] === digestOf("sha256", body))

  const objects = new Map<string, Held>()
  const uploads = new Map<string, Held & { readonly key: string; readonly parts: Map<number, Buffer> }>()

  const read = (key: string, request: IncomingMessage): Answer => {
    const found = objects.get(key)
    if (found === undefined) return error(404, "NoSuchKey")
    const headers = { "content-type": found.contentType, etag: '"x"' }
    const size = found.bytes.length
    const range = rangeOf(request.headers.range, size)
    if (range === undefined) return { status: 200, headers, body: found.bytes }
    if (range.start >= size) return error(416, "InvalidRange")
    return {
      status: 206,
      headers: { ...headers, "content-range": `bytes ${range.start}-${range.end - 1}/${size}` },
      body: found.bytes.subarray(range.start, range.end)
    }
  }

  const write = (key: string, url: URL, request: IncomingMessage, bytes: Buffer): Answer => {
    const source = request.headers["x-amz-copy-source"]
    if (typeof source === "string") {
      const copied = objects.get(source.slice(BUCKET.length + 1))
      if (copied === undefined) return error(404, "NoSuchKey")
      objects.set(key, copied)
      return ok("<CopyObjectResult><ETag>x</ETag></CopyObjectResult>")
    }
    if (!isIntact(request, bytes)) return error(400, "BadDigest")
    const id = url.searchParams.get("uploadId")
    if (id === null) objects.set(key, { bytes, contentType: request.headers["content-type"] ?? "" })
    else uploads.get(id)?.parts.set(Number(url.searchParams.get("partNumber")), bytes)
    return { status: 200, headers: { etag: '"x"' } }
  }

  const multipart = (key: string, url: URL, request: IncomingMessage): Answer => {
    const id = url.searchParams.get("uploadId")
    if (id === null) {
      const made = randomUUID()
      const contentType = request.headers["content-type"] ?? ""
      uploads.set(made, { key, contentType, bytes: Buffer.alloc(0), parts: new Map() })
      return ok(`<InitiateMultipartUploadResult><UploadId>${made}</UploadId></InitiateMultipartUploadResult>`)
    }
    const upload = uploads.get(id)
    if (upload === undefined) return error(404, "NoSuchUpload")
    const parts = [...upload.parts].toSorted(([one], [other]) => one - other).map(([, bytes]) => bytes)
    objects.set(upload.key, { bytes: Buffer.concat(parts), contentType: upload.contentType })
    uploads.delete(id)
    return ok("<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")
  }

  const ofBucket = (url: URL): Answer => {
    const prefix = url.searchParams.get("prefix") ?? ""
    if (url.searchParams.has("uploads")) {
      const found = [...uploads]
        .filter(([, { key }]) => key.startsWith(prefix))
        .map(([id, { key }]) => `<Key>${key}</Key><UploadId>${id}</UploadId>`)
        .map((each) => `<Upload>${each}<Initiated>${new Date().toISOString()}</Initiated></Upload>`)
      return ok(`<ListMultipartUploadsResult>${found.join("")}</ListMultipartUploadsResult>`)
    }
    if (!url.searchParams.has("list-type")) return ok()
    const after = url.searchParams.get("continuation-token") ?? ""
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).toSorted()
    const page = keys.slice(0, PAGE)
    const next = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ""
    const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("")
    return ok(`<ListBucketResult>${contents}${next}</ListBucketResult>`)
  }

  return (request: IncomingMessage, body: Buffer): Answer => {
    const url = new URL(request.url ?? "/", "http://store")
    if (refusal !== undefined && hasSha256(request, body)) return error(...refusal)
    const [, bucket, ...rest] = url.pathname.split("/")
    if (bucket !== BUCKET) return error(404, "NoSuchBucket")
    const key = rest.join("/")
    if (key === "") return ofBucket(url)
    if (request.method === "PUT") return write(key, url, request, body)
    if (request.method === "POST") return multipart(key, url, request)
    if (request.method !== "DELETE") return read(key, request)
    const id = url.searchParams.get("uploadId")
    if (id === null) objects.delete(key)
    else if (!uploads.delete(id)) return error(404, "NoSuchUpload")
    return { status: 204 }
  }
}

/** Starts a store that ends with the scope. Its URL names the bucket, and `answering` counts the answers under way. */
const startStore = Effect.fnUntraced(function* (peculiar: Peculiar = {}) {
  const answer = makeStore(peculiar)
  let answering = 0
  const server = createServer((request, response) => {
    answering++
    response.once("close", () => answering--)
    void buffer(request).then(
      async (body) => {
        await setTimeout(peculiar.answerMillis ?? 0)
        const now = Date.now() + (peculiar.aheadMillis ?? 0)
        const isSkewed = Math.abs(signedAt(request) - now) > SKEW_MILLIS_MAX
        const made = isSkewed ? error(403, "RequestTimeTooSkewed") : answer(request, body)
        const { body: bytes = "", headers = {}, status } = made
        response.setHeader("date", new Date(now).toUTCString())
        response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(bytes) })
        response.end(request.method === "HEAD" ? "" : bytes)
      },
      // The client left in the middle: the store keeps nothing of it.
      () => response.destroy()
    )
  })
  const port = yield* listening(server)
  const url = `s3://test-key:test-secret@127.0.0.1/${BUCKET}?endpoint=http://127.0.0.1:${port}`
  return { url, answering: Effect.sync(() => answering) }
})

export const observedS3Server = startStore()

/** Starts a store with a peculiarity, and returns its URL. */
export const peculiarS3Server = (peculiar: Peculiar) => Effect.map(startStore(peculiar), ({ url }) => url)

/** Starts such a store, and returns its URL. */
export const s3Server = Effect.map(observedS3Server, ({ url }) => url)
