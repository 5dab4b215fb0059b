import { setTimeout as pause } from "node:timers/promises"
import { answerOf, bearer, type LoadRequest, type Operation, post } from "../operation.ts"
import { FOLLOWERS } from "../seed/readers.ts"
import type { Seed } from "../seed/seed.ts"
import type { Server } from "../servers.ts"
import { draftsOf } from "./writes.ts"

const POLL_MILLIS = 5
const SECONDS_MAX = 600

const answered = async (server: Server, request: LoadRequest) => {
  const { body, status } = await answerOf(server, request)
  if (status >= 300) throw new Error(`${request.path}: ${status} ${body}`)
  return JSON.parse(body)
}

/** Publishes a Post, and waits until every follower has a notification of it. */
export const publication = ({ readers: { key } }: Seed): Operation => {
  const create = draftsOf({ oneOf: ([first]) => first!, words: (count) => "penny ".repeat(count).trim() })
  const once = async (server: Server) => {
    const { id } = await answered(server, create(key))
    const begin = performance.now()
    await answered(server, post(`/api/v1/posts/${id}/publish`, {}, { ...bearer(key), "idempotency-key": id }))
    const waiting = () => server.database.rows("select from notification_fanouts where post_id = $1", [id])
    while ((await waiting()).length > 0) {
      if (performance.now() - begin > SECONDS_MAX * 1000)
        throw new Error(`The followers are not told within ${SECONDS_MAX} s`)
      await pause(POLL_MILLIS)
    }
    const milliseconds = performance.now() - begin
    const [row] = await server.database.rows<{ readonly told: number }>(
      "select count(*)::integer as told from notifications where post_id = $1 and type = 'new_post'",
      [id]
    )
    if ((row?.told ?? 0) < FOLLOWERS)
      throw new Error(`${row?.told} of ${FOLLOWERS} followers heard of the Post`)
    return milliseconds
  }
  return {
    name: "fan-out",
    title: "Publish a Post until 100,000 followers are notified",
    statuses: [200],
    once
  }
}
