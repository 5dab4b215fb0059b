import { Effect } from "effect"
import { OutsideHttpMemory, type Receiver } from "../../../layers/testing/OutsideHttpMemory.ts"
import { Dispatcher } from "../../../src/engagement/events/Dispatcher.ts"
import { WebhookTurns } from "../../../src/engagement/webhooks/WebhookTurns.ts"
import type { OutsidePost } from "../../../src/platform/ports/OutsideHttp.ts"
import { later, now } from "../../../src/platform/time/now.ts"
import { readerOf } from "../../support/actors/reader.ts"

/** Takes a turn at every webhook for which something is due, as long as there is one. Returns the number of turns. */
export const takeTurns = Effect.gen(function* () {
  const { claim, turn } = yield* WebhookTurns
  let turns = 0
  for (;;) {
    const at = yield* now
    const claimed = yield* claim({ at, leaseUntil: later(at, 60_000), limit: 32 })
    if (claimed.length === 0) return turns
    yield* Effect.forEach(claimed, turn, { discard: true, concurrency: 32 })
    turns += claimed.length
  }
})

/** Numbers the events that are due, and sends them. */
export const deliver = Effect.gen(function* () {
  yield* (yield* Dispatcher).dispatch
  return yield* takeTurns
})

/** Signs in an owner who has a server. Its URL is the owner's own. */
export const receiverOf = Effect.fnUntraced(function* (number: number) {
  const owner = yield* readerOf(number)
  const outside = yield* OutsideHttpMemory
  const url = `https://receiver-${number}.example/hook`
  const at = (path: string) => `/api/v1/webhooks${path}`
  const create = (body: object = {}, headers: Record<string, string> = {}) =>
    owner.send("POST", at(""), { body: { url, events: ["*"], ...body }, headers })

  return {
    ...owner,
    url,
    create,
    /** Creates a webhook, and returns it with its secret. */
    created: (body: object = {}) =>
      Effect.map(create(body), (answer) => {
        if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
        return answer.body as { readonly webhook: any; readonly secret: string }
      }),
    list: owner.send("GET", at("")),
    read: (id: string) => owner.send("GET", at(`/${id}`)),
    change: (id: string, body: object) => owner.send("PATCH", at(`/${id}`), { body }),
    remove: (id: string) => owner.send("DELETE", at(`/${id}`)),
    rotate: (id: string, body: object = {}) => owner.send("POST", at(`/${id}/secrets`), { body }),
    test: (id: string, body: object = {}) => owner.send("POST", at(`/${id}/test`), { body }),
    log: (id: string, query = "") => owner.send("GET", at(`/${id}/deliveries${query}`)),
    delivery: (id: string, delivery: string) => owner.send("GET", at(`/${id}/deliveries/${delivery}`)),
    redeliverOne: (id: string, delivery: string) =>
      owner.send("POST", at(`/${id}/deliveries/${delivery}/redeliver`)),
    redeliver: (id: string, body: object) => owner.send("POST", at(`/${id}/redeliver`), { body }),
    /** Sets what the server answers. */
    answers: (receiver: Receiver) => outside.receive(url, receiver),
    posted: outside.posted(url)
  }
})

/** Returns the parsed body of a message. */
export const eventOf = ({ body }: OutsidePost): any => JSON.parse(body)
