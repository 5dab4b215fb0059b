import type { Server } from "./servers.ts"

/** A request of a load. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PATCH" | "PUT"
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** The requests of one connection. Each follows from the answer to the one before, which is empty at first. */
export type Conversation = (lastAnswer: string) => LoadRequest

/** A load of the bench. It has either `request`, `conversation` or `once`. */
export interface Operation {
  /** Its name for `--only`. */
  readonly name: string
  readonly title: string
  /** Statuses of success. The last one is that of the operation itself. */
  readonly statuses: ReadonlyArray<number>
  /** True when the Fastify server answers it, too. */
  readonly isCompared?: true | undefined
  /** True when the service keeps its answers. It is then also measured without the store of answers. */
  readonly isKept?: true
  /** Makes requests that do not depend on each other. */
  readonly request?: (() => LoadRequest) | undefined
  readonly conversation?: {
    /** Requests of one operation. */
    readonly steps: number
    /** Begins the requests of one connection. */
    readonly begin: () => Conversation
  }
  /** Runs the operation once, without other requests. Returns its milliseconds. */
  readonly once?: (server: Server) => Promise<number>
  /** Removes what a round left behind. */
  readonly forget?: (server: Server) => Promise<void>
}

/** Makes an operation of requests that follow from answers; `begin` begins those of a connection. */
export const conversing = (
  name: string,
  title: string,
  statuses: ReadonlyArray<number>,
  begin: () => Conversation,
  steps = 1
): Operation => ({ name, title, statuses, conversation: { steps, begin } })

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const get = (path: string, headers: Readonly<Record<string, string>> = {}): LoadRequest => ({
  method: "GET",
  path,
  headers
})

export const post = (
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {}
): LoadRequest => ({
  method: "POST",
  path,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body)
})

/** Sends one request, outside any load. */
export const answerOf = async ({ url }: Server, { path, ...request }: LoadRequest) => {
  const response = await fetch(`${url}${path}`, request)
  return { status: response.status, body: await response.text() }
}
