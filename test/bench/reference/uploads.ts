import { randomUUID } from "node:crypto"
import { createWriteStream } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import multipart from "@fastify/multipart"
import { fastify, type FastifyReply, type FastifyRequest } from "fastify"
import { ARCHIVE_BYTES_MAX } from "../../../schemas/publishing/uploads/limits.ts"

/** Uploads as the guide of @fastify/multipart has them, made durable: it checks nothing and knows no database. */
const directory = join(process.env["PENNYPRESS_DATA"] ?? "", "objects")
await mkdir(directory, { recursive: true })

const app = fastify()
await app.register(multipart, { limits: { fileSize: ARCHIVE_BYTES_MAX } })

const syncDirectory = async () => {
  const handle = await open(directory)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

interface OfPost {
  readonly Params: { readonly id: string }
}

const store = async (request: FastifyRequest<OfPost>, reply: FastifyReply) => {
  const part = await request.file()
  if (part === undefined) return reply.code(422).send({ error: "Expected a file" })
  const operationId = randomUUID()
  // Flushing is an fsync.
  await pipeline(part.file, createWriteStream(join(directory, operationId), { flush: true }))
  await syncDirectory()
  if (part.file.truncated) return reply.code(413).send({ error: "The file is too large" })
  return reply.code(202).send({ operationId, targetId: request.params.id, state: "queued" })
}

app.post<OfPost>("/api/v1/posts/:id/images", store)
app.post<OfPost>("/api/v1/posts/:id/attachments", store)

console.log(`listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}`)
