import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as MailerSmtp from "../../../layers/mail/MailerSmtp.ts"
import { Mailer } from "../../../src/platform/ports/Mailer.ts"
import { rawServer } from "../../layers/mail/smtpServer.ts"
import { ada, as, deliver, emailChanged, post, rows, TEN_MINUTES, twoOutboxes } from "./outbox.ts"

const STEPS = ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "text"] as const
type Step = (typeof STEPS)[number]

/** Trouble that a server makes at a step: an answer, or one of these. */
type Trouble = "silence" | "cut" | `${number} ${string}`

const HOUR = 3_600_000

/** Starts a server that makes trouble in its first session and takes every text after it. Returns the whole texts. */
const troubled = Effect.fnUntraced(function* (at: Step, trouble: Trouble) {
  const texts: Array<string> = []
  let sessions = 0
  const port = yield* rawServer((socket: Socket) => {
    const isFirst = sessions++ === 0
    const say = (step: Step, usual: string) => {
      if (!isFirst || step !== at) return socket.write(`${usual}\r\n`)
      if (trouble === "silence") return
      return trouble === "cut" ? socket.destroy() : socket.write(`${trouble}\r\n`)
    }
    let received = ""
    let isText = false
    say("greeting", "220 test")
    socket.on("data", (data) => {
      received += data.toString()
      for (;;) {
        const end = isText ? "\r\n.\r\n" : "\r\n"
        const [line = "", ...rest] = received.split(end)
        if (rest.length === 0) return
        received = rest.join(end)
        if (isText) {
          texts.push(line)
          isText = false
          say("text", "250 test")
        } else {
          const step = STEPS.find((it) => line.startsWith(it)) ?? "EHLO"
          isText = step === "DATA" && !(isFirst && at === "DATA")
          say(step, step === "DATA" ? "354 test" : "250 test")
        }
      }
    })
  })
  return { port, texts }
})

/** Starts a process that sends through a troubled server. */
const process = Effect.fnUntraced(function* (at: Step, trouble: Trouble) {
  const { port, texts } = yield* troubled(at, trouble)
  const smtp = yield* Layer.build(
    MailerSmtp.layer({
      url: Redacted.make(`smtp://127.0.0.1:${port}`),
      from: { address: "press@example.com" },
      timeout: "100 millis"
    })
  )
  const name = `test_mail_${at}_${trouble.replaceAll(/\W/g, "_")}`.toLowerCase()
  const [it] = yield* twoOutboxes(name, { mailer: Context.get(smtp, Mailer) })
  return { it, texts }
})

/** Delivers each minute for as long. */
const deliverFor = Effect.fnUntraced(function* (minutes: number) {
  for (let minute = 0; minute < minutes; minute++) {
    yield* deliver
    yield* TestClock.adjust("1 minute")
  }
})

describe("a mail server in trouble", () => {
  const troubles = ["silence", "cut", "421 busy", "451 later"] as const

  for (const step of STEPS.filter((it) => it !== "text"))
    for (const trouble of troubles)
      it.effect(`A mail arrives once, within minutes of a server's trouble at ${step}: ${trouble}`, () =>
        Effect.gen(function* () {
          const { it, texts } = yield* process(step, trouble)
          yield* as(it)(post())
          yield* as(it)(deliverFor(9))
          assert.lengthOf(texts, 1)
          assert.lengthOf(yield* as(it)(rows), 0)
        })
      )

  for (const trouble of ["421 busy", "451 later"] as const)
    it.effect(`A mail whose text the server refuses for now is sent again: ${trouble}`, () =>
      Effect.gen(function* () {
        const { it, texts } = yield* process("text", trouble)
        yield* as(it)(post())
        yield* as(it)(deliverFor(9))
        assert.lengthOf(texts, 2)
        assert.lengthOf(yield* as(it)(rows), 0)
      })
    )

  for (const trouble of ["silence", "cut", "354 again"] as const)
    it.effect(`A code is sent once, although the server answers its text with this: ${trouble}`, () =>
      Effect.gen(function* () {
        const { it, texts } = yield* process("text", trouble)
        yield* as(it)(post())
        yield* as(it)(deliverFor(1))
        assert.lengthOf(yield* as(it)(rows), 0)
        assert.lengthOf(texts, 1)
      })
    )

  it.effect("A mail of unknown end that lives for days is sent again after an hour", () =>
    Effect.gen(function* () {
      const { it, texts } = yield* process("text", "cut")
      yield* as(it)(post(emailChanged, ada, 2 * HOUR + TEN_MINUTES))
      yield* as(it)(deliverFor(60))
      assert.lengthOf(texts, 1)
      yield* as(it)(deliverFor(1))
      assert.lengthOf(texts, 2)
      assert.lengthOf(yield* as(it)(rows), 0)
    })
  )
})
