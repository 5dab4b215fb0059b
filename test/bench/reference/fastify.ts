import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto"
import { createWriteStream } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import multipart from "@fastify/multipart"
import { fastify, type FastifyReply } from "fastify"
import { Pool, type QueryResultRow } from "pg"
import { INLINE_IMAGE_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"
import { activeKey, create, newest, post, profile, search } from "./statements.ts"

/** A server that an experienced team writes in an afternoon: Fastify and `pg`. It checks little and logs nothing. */
const app = fastify()
await app.register(multipart, { limits: { fileSize: INLINE_IMAGE_BYTES_MAX } })

const pool = new Pool({
  connectionString: process.env["DATABASE_URL"],
  application_name: "fastify",
  max: Number(process.env["DATABASE_POOL_SIZE"])
})
const objects = join(process.env["PENNYPRESS_DATA"] ?? "", "objects")
await mkdir(objects, { recursive: true })

const PER_PAGE = 20
const DAY_MILLIS = 24 * 60 * 60 * 1000

/** A JSON text, with its ETag when it is public. */
interface Answer {
  readonly text: string
  readonly etag?: string
}

interface Key {
  readonly id: string
  readonly owner_id: string
  readonly secret_hash: Buffer
}

type Statement = { readonly name: string; readonly text: string }

const first = async <Row extends QueryResultRow>(statement: Statement, values: Array<unknown>) =>
  (await pool.query<Row>({ ...statement, values })).rows[0]

const sha256 = (text: string) => createHash("sha256").update(text).digest()

/** Makes a UUIDv7 as the service does, so that the indexes grow at the same end. */
const uuidV7 = (at: Date) => {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

/** Returns none for a key that is not active. */
const authenticate = async (authorization: string | undefined, at: Date): Promise<Key | undefined> => {
  const bearer = /^Bearer ppk_([0-9A-Za-z]{16})_([0-9A-Za-z]{43})$/
  const [, keyId, secret = ""] = bearer.exec(authorization ?? "") ?? []
  const key = keyId === undefined ? undefined : await first<Key>(activeKey, [keyId, at])
  return key !== undefined && timingSafeEqual(key.secret_hash, sha256(secret)) ? key : undefined
}

const inserted = (key: Key, draft: { readonly title: string }, idempotencyKey: unknown, at: Date) => {
  const json = JSON.stringify(draft)
  const slug = draft.title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")
  const claim = [key.id, idempotencyKey, sha256(json), uuidV7(at), at, new Date(at.getTime() + DAY_MILLIS)]
  return first<Answer>(create, [...claim, key.owner_id, slug, json])
}

const answer = (reply: FastifyReply, status: number, body: Answer | undefined) => {
  if (body === undefined) return reply.code(404).send()
  if (body.etag !== undefined) reply.header("etag", `"${body.etag}"`)
  return reply.code(status).type("application/json").send(body.text)
}

app.get<{ Querystring: { readonly q?: string } }>("/api/posts", async ({ query: { q } }, reply) => {
  const paged = [1, PER_PAGE]
  const list = q === undefined ? first<Answer>(newest, paged) : first<Answer>(search, [q, ...paged])
  return answer(reply, 200, await list)
})

app.get<{ Params: { readonly id: string } }>("/api/posts/:id", async ({ params }, reply) =>
  answer(reply, 200, await first(post, [params.id]))
)

app.get("/api/v1/profile", async ({ headers }, reply) => {
  const key = await authenticate(headers.authorization, new Date())
  return answer(reply, 200, key && (await first(profile, [key.owner_id])))
})

app.post<{ Body: { readonly title: string } }>("/api/v1/posts", async ({ body, headers }, reply) => {
  const at = new Date()
  const key = await authenticate(headers.authorization, at)
  return answer(reply, 201, key && (await inserted(key, body, headers["idempotency-key"], at)))
})

/** Uploads as the guide of @fastify/multipart has them, made durable. They check nothing and know no database. */
app.post<{ Params: { readonly id: string } }>("/api/v1/posts/:id/images", async (request, reply) => {
  const part = await request.file()
  if (part === undefined) return reply.code(422).send({ error: "Expected a file" })
  const operationId = randomUUID()
  // Flushing is an fsync.
  await pipeline(part.file, createWriteStream(join(objects, operationId), { flush: true }))
  const directory = await open(objects)
  await directory.sync().finally(() => directory.close())
  if (part.file.truncated) return reply.code(413).send({ error: "The file is too large" })
  return reply.code(202).send({ operationId, targetId: request.params.id, state: "queued" })
})

console.log(`listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}`)
