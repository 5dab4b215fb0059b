import { randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { pngFile } from "../../support/actors/uploader.ts"
import { ask, tokensOf } from "./ask.ts"
import { documentedWallet, paymentOf } from "./wallet.ts"

/** A request as the text prints it. */
interface Printed {
  readonly method: string
  readonly path: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | undefined
  readonly status: number
  /** Members of the answer, each with the name under which the text uses it. */
  readonly kept: ReadonlyArray<readonly [member: string, name: string]>
}

const printed = (block: string): Printed => {
  const [request = "", answer = ""] = block.split("\n→ ")
  const [head = "", body] = request.split("\n\n")
  const [line = "", ...headers] = head.split("\n")
  const [method = "", path = ""] = line.split(" ")
  const [status = "", members = ""] = /^(\d+) ?(.*)$/.exec(answer.trim())?.slice(1) ?? []
  return {
    method,
    path,
    headers: headers.map((it) => [it.slice(0, it.indexOf(": ")), it.slice(it.indexOf(": ") + 2)] as const),
    body,
    status: Number(status),
    kept: members
      .split(", ")
      .filter((it) => it !== "")
      .map((it) => {
        const [member = "", name = member] = it.split(" as ")
        return [member, name] as const
      })
  }
}

/** The requests of a section. */
const requestsOf = (text: string, heading: string) => {
  const [, section = ""] = text.split(`## ${heading}\n`)
  const blocks = section.split("\n## ")[0]?.matchAll(/```http\n([^]*?)\n```/g) ?? []
  return [...blocks].map(([, block = ""]) => printed(block))
}

const memberOf = (body: unknown, member: string): unknown =>
  member.split(".").reduce<any>((value, name) => value?.[name], body)

/** Raw that a client asks the faucet for: 10 XNO. */
const AMOUNT = `1${"0".repeat(31)}`

/** A client that knows a service by `/llms.txt` alone: it sends the requests that the text prints, section by section. */
export const textClient = Effect.fnUntraced(function* (origin: string, number: number) {
  const { text } = yield* ask(`${origin}/llms.txt`, {})
  const wallet = documentedWallet(number, text)
  const [, template = ""] = /^(\{"x402Version".*\})$/m.exec(text) ?? []
  const values = new Map<string, any>([
    ["account", wallet.account],
    ["name", `Agent ${number}`],
    ["handle", `agent_${number}`],
    ["amount", AMOUNT]
  ])
  const known = (name: string) => {
    assert.isTrue(values.has(name), `the text does not say what ${name} is`)
    return values.get(name)
  }
  const terms = () => ({ resource: known("resource"), accepts: known("accepts") })
  /** Values that the client makes itself, when a request needs them. */
  const made: Readonly<Record<string, () => string>> = {
    uuid: () => randomUUID(),
    signature: () => wallet.sign(known("message")),
    block: () => JSON.stringify(wallet.open(AMOUNT, known("hash"))),
    payment: () =>
      paymentOf(
        template,
        terms(),
        wallet.pay(terms(), { balance: known("balance"), frontier: known("frontier") })
      )
  }
  const filled = (it: string) =>
    it.replaceAll(/\{(\w+)\}/g, (_, name: string) => made[name]?.() ?? String(known(name)))

  const play = Effect.fnUntraced(function* ({ body, headers, kept, method, path, status }: Printed) {
    const sent = new Headers(headers.map(([name, value]) => [name, filled(value)] as [string, string]))
    const isForm = sent.get("content-type")?.startsWith("multipart/form-data") === true
    let content: string | FormData | undefined
    if (isForm) {
      sent.delete("content-type")
      const form = new FormData()
      const picture = new Blob([Buffer.from(pngFile().content)], { type: "image/png" })
      form.set(body?.split("=")[0] ?? "", picture, "penny.png")
      content = form
    } else if (body !== undefined) {
      sent.set("content-type", "application/json")
      content = filled(body)
    }
    const answer = yield* ask(`${origin}${filled(path)}`, {
      method,
      headers: sent,
      ...(content === undefined ? {} : { body: content })
    })
    assert.strictEqual(answer.status, status, `${method} ${path}: ${answer.text}`)
    for (const [member, name] of kept) {
      const value = memberOf(answer.body, member)
      assert.isDefined(value, `${method} ${path} has no ${member}: ${answer.text}`)
      values.set(name, value)
    }
    return answer
  })

  return {
    tokens: tokensOf(text),
    know: (name: string, value: unknown) => values.set(name, value),
    value: known,
    /** Sends the requests of a section in their order, or the one with this number. */
    play: Effect.fnUntraced(function* (heading: string, only?: number) {
      const requests = requestsOf(text, heading)
      assert.isNotEmpty(requests, `the text has no requests about ${heading}`)
      for (const [index, it] of requests.entries()) if (only === undefined || only === index) yield* play(it)
    })
  }
})
