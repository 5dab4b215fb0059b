import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import { answerOf, bearer, get, type LoadRequest, post } from "../operation.ts"
import type { Server } from "../servers.ts"

const PAUSE_MILLIS = 20

/** The 95th percentile of the milliseconds of requests of other people. */
export interface Others {
  readonly page: number
  readonly read: number
  readonly write: number
}

const p95 = (times: ReadonlyArray<number>) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN

/** An author whose posts are read. */
interface Author {
  readonly key: string
  readonly posts: ReadonlyArray<string>
}

/** Sends ordinary requests of other people: a page, a read of the API and a new draft, in turn. The end returns their times. */
export const watchOthers = (server: Server, { key, posts }: Author) => {
  const state = { isOver: false }
  let turn = 0
  const times = { page: [] as Array<number>, read: [] as Array<number>, write: [] as Array<number> }
  const postOf = (n: number) => posts[(n * 97) % posts.length]!
  const requests: Readonly<Record<keyof Others, () => LoadRequest>> = {
    page: () => get("/"),
    read: () => get(`/api/posts/${postOf(turn)}`),
    write: () =>
      post(
        "/api/v1/posts",
        { title: `A draft ${turn}`, description: "A draft", freeContentMarkdown: "Some words." },
        { ...bearer(key), "idempotency-key": randomUUID() }
      )
  }
  const asking = async () => {
    while (!state.isOver) {
      turn += 1
      for (const name of ["page", "read", "write"] as const) {
        const begin = performance.now()
        const { status } = await answerOf(server, requests[name]())
        if (status !== 200 && status !== 201) throw new Error(`${name} is answered with ${status}`)
        times[name].push(performance.now() - begin)
        await pause(PAUSE_MILLIS)
      }
    }
  }
  const asked = asking()
  return async (): Promise<Others> => {
    state.isOver = true
    await asked
    return { page: p95(times.page), read: p95(times.read), write: p95(times.write) }
  }
}
