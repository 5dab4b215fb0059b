import { fastify, type FastifyReply } from "fastify"
import { type Answer, type Draft, LIVE, open } from "./operations.ts"

/** A server that an experienced team writes in an afternoon: Fastify and `pg`. */
const operations = open("fastify")
const app = fastify()

const answer = (reply: FastifyReply, status: number, body: Answer | undefined) => {
  if (body === undefined) return reply.code(404).send()
  if (status === 200 && body.etag !== undefined) reply.header("etag", `"${body.etag}"`)
  return reply.code(status).type("application/json").send(body.text)
}

app.get("/health/live", (_, reply) => answer(reply, 200, { text: LIVE }))

app.get<{ Querystring: { readonly q?: string } }>("/api/posts", async ({ query }, reply) =>
  answer(reply, 200, await (query.q === undefined ? operations.newest() : operations.search(query.q)))
)

app.get<{ Params: { readonly id: string } }>("/api/posts/:id", async ({ params }, reply) =>
  answer(reply, 200, await operations.post(params.id))
)

app.get<{ Params: { readonly handle: string } }>("/api/profile/:handle", async ({ params }, reply) =>
  answer(reply, 200, await operations.publicProfile(params.handle))
)

app.patch<{ Params: { readonly id: string }; Body: { readonly title: string } }>(
  "/api/v1/posts/:id",
  async ({ body, headers, params }, reply) =>
    answer(reply, 200, await operations.rename(headers.authorization ?? "", params.id, body.title))
)

app.get("/api/v1/profile", async ({ headers }, reply) =>
  answer(reply, 200, await operations.profile(headers.authorization ?? ""))
)

app.post<{ Body: { readonly refreshToken: string } }>("/api/v1/auth/refresh", async ({ body }, reply) =>
  answer(reply, 200, await operations.refresh(body.refreshToken))
)

app.post<{ Body: Draft }>("/api/v1/posts", async ({ body, headers }, reply) =>
  answer(
    reply,
    201,
    await operations.create(headers.authorization ?? "", String(headers["idempotency-key"]), body)
  )
)

console.log(`listening on ${await app.listen({ host: "127.0.0.1", port: 0 })}`)
