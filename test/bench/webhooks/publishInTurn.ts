import { setTimeout as pause } from "node:timers/promises"
import { completePost } from "../../support/actors/owner.ts"
import { answerOf, bearer, post } from "../operation.ts"
import type { Server } from "../servers.ts"

/** Time in which the work after a publication ends. */
const REST_MILLIS = 40

const publish = async (server: Server, key: string) => {
  const created = await answerOf(server, post("/api/v1/posts", completePost, bearer(key)))
  const { id } = JSON.parse(created.body)
  const request = post(
    `/api/v1/posts/${id}/publish`,
    {},
    { ...bearer(key), "idempotency-key": `publish-${id}` }
  )
  const begin = performance.now()
  const { body, status } = await answerOf(server, request)
  const millis = performance.now() - begin
  if (status !== 200) throw new Error(`${status} ${body}`)
  await pause(REST_MILLIS)
  return millis
}

/** Publishes posts of authors in turn, as often for each. Returns the median milliseconds of each author's publications. */
export const publishInTurn = async (
  server: Server,
  authors: ReadonlyArray<{ readonly key: string }>,
  count: number
): Promise<ReadonlyArray<number>> => {
  const times = authors.map((): Array<number> => [])
  for (let round = 0; round < count; round++) {
    // Each is first as often as the others.
    for (const n of authors.keys()) {
      const place = (n + round) % authors.length
      times[place]!.push(await publish(server, authors[place]!.key))
    }
  }
  return times.map((all) => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN)
}
