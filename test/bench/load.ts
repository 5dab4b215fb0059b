import { randomUUID } from "node:crypto"
import autocannon from "autocannon"
import type { Seed } from "./seed.ts"
import type { Server, Usage } from "./servers.ts"
import { randomFrom, wordOf, WORDS } from "./words.ts"

/** One request of an operation; another one whenever it is asked for. */
export interface LoadRequest {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Operation {
  readonly name: string
  readonly title: string
  readonly isRead: boolean
  readonly request: () => LoadRequest
}

/** What a round of one server and one operation came to. */
export interface Round extends Usage {
  readonly requests: number
  readonly seconds: number
  readonly latencies: ReadonlyArray<number>
}

const CONNECTIONS = 32
/** The 200 most frequent words are in too many Posts for anyone to search for them. */
const RARE = 200

const get = (path: string): LoadRequest => ({ method: "GET", path, headers: {} })

const paragraph = (words: (count: number) => string) =>
  `## ${words(4)}\n\n${words(40)} **${words(2)}** ${words(30)} [${words(3)}](https://example.org/${words(1)}), ${words(12)}.\n\n` +
  `- ${words(8)}\n- ${words(9)} \`${words(1)}\`\n- *${words(6)}*\n\n`

/** About 2 kB of Markdown under a title that its author has not used. */
const draftOf = (words: (count: number) => string) => ({
  title: `${words(6)} ${randomUUID().slice(0, 8)}`,
  description: words(18),
  freeContentMarkdown: paragraph(words) + paragraph(words) + paragraph(words),
  primaryCategoryId: 7,
  creationMethod: "human_written",
  creationAttested: true
})

/** The operations that are compared; their parameters are the same in every run. */
export const operationsOf = ({ keys, posts }: Seed): ReadonlyArray<Operation> => {
  const random = randomFrom(42)
  const pick = (all: ReadonlyArray<string>) => all[Math.floor(random() * all.length)] ?? ""
  const rare = () => wordOf(RARE + Math.floor(random() * (WORDS - RARE)))
  const words = (count: number) => Array.from({ length: count }, rare).join(" ")
  return [
    { name: "newest", title: "Newest 20 summaries", isRead: true, request: () => get("/api/posts") },
    { name: "post", title: "One Post", isRead: true, request: () => get(`/api/posts/${pick(posts)}`) },
    {
      name: "search",
      title: "Search",
      isRead: true,
      request: () => get(`/api/posts?q=${words(random() < 0.5 ? 1 : 2).replace(" ", "+")}`)
    },
    {
      name: "create",
      title: "Create a draft with a Publishing key",
      isRead: false,
      request: () => ({
        method: "POST",
        path: "/api/v1/posts",
        headers: {
          authorization: `Bearer ${pick(keys)}`,
          "content-type": "application/json",
          "idempotency-key": randomUUID()
        },
        body: JSON.stringify(draftOf(words))
      })
    }
  ]
}

/** Loads a server with one operation for so many seconds. Any answer that is no success fails the run. */
export const load = async (server: Server, operation: Operation, seconds: number): Promise<Round> => {
  const latencies: Array<number> = []
  // A draft takes longer to write than to send, so the load has them written before.
  const made = operation.isRead ? [] : Array.from({ length: 3_000 * seconds }, operation.request)
  const finish = server.measure()
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: server.url,
        connections: CONNECTIONS,
        duration: seconds,
        requests: [{ setupRequest: (request) => ({ ...request, ...(made.pop() ?? operation.request()) }) }]
      },
      (error, result) => (error === null ? resolve(result) : reject(error))
    )
    instance.on("response", (_client, _status, _bytes, milliseconds) => latencies.push(milliseconds))
  })
  const usage = finish()
  const failed = result.non2xx + result.errors + result.timeouts + result.mismatches
  if (failed > 0 || result["2xx"] === 0) {
    throw new Error(
      `${operation.name}: ${failed} requests to ${server.name} failed, and ${result["2xx"]} did not`
    )
  }
  return { ...usage, requests: result["2xx"], seconds: result.duration, latencies }
}
