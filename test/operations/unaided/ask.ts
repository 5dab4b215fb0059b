import { Effect } from "effect"

/** An answer, with its body as text and, if it is JSON, as a value. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly body: any
}

/** Times that a client repeats a payment that is not confirmed yet. The service waits for the ledger each time. */
const REPEATS = 20

/** Sends a request with plain `fetch`. A payment that is settling is repeated unchanged, as the documents say. */
export const ask = (url: string, init: RequestInit): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const send = async (): Promise<Answer> => {
      const answer = await fetch(url, init)
      const text = await answer.text()
      const isJson = /\bjson\b/.test(answer.headers.get("content-type") ?? "")
      return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : null }
    }
    let answer = await send()
    for (let i = 0; i < REPEATS && answer.body?.data?.code === "settlement_pending"; i++)
      answer = await send()
    return answer
  })

/** The tokens of a text, at four bytes each. */
export const tokensOf = (text: string) => Math.ceil(Buffer.byteLength(text) / 4)
