import { assert, describe, it } from "@effect/vitest"
import { Effect, Sink, Stdio, Stream } from "effect"
import { wholeLines } from "../../../src/mcp/local/wholeLines.ts"

const MIB = 1024 * 1024
const encode = (text: string) => new TextEncoder().encode(text)

/** Sends chunks. Returns the lines that pass, and the number of refusals on standard output. */
const passed = Effect.fnUntraced(function* (...chunks: ReadonlyArray<string | Uint8Array>) {
  const refusals: Array<string> = []
  const stdio = wholeLines(
    Stdio.make({
      args: Effect.succeed([]),
      stdin: Stream.fromIterable(chunks.map((chunk) => (typeof chunk === "string" ? encode(chunk) : chunk))),
      stdout: () =>
        Sink.forEach((text: string | Uint8Array) => Effect.sync(() => refusals.push(String(text)))),
      stderr: () => Sink.drain
    })
  )
  const lines = yield* Stream.runCollect(stdio.stdin)
  for (const refusal of refusals) assert.deepInclude(JSON.parse(refusal), { jsonrpc: "2.0", id: null })
  return { lines: lines.map((line) => new TextDecoder().decode(line)), refusals: refusals.length }
})

describe("lines of standard input", () => {
  it.effect("Lines pass whole, in any pieces, and the last one without its end", () =>
    Effect.gen(function* () {
      const text = '{"a":"é"}\n\n  \r\n{"b":1}\r\n[2]'
      const bytes = encode(text)
      const single = yield* passed(...Array.from(bytes, (byte) => Uint8Array.of(byte)))
      assert.deepStrictEqual(single, { lines: ['{"a":"é"}\n', '{"b":1}\r\n', "[2]\n"], refusals: 0 })
      assert.deepStrictEqual(yield* passed(text), single)
    })
  )

  it.effect("A call whose arguments are null passes without them", () =>
    Effect.gen(function* () {
      const call = '{"method":"tools/call","params":{"name":"svc_context","arguments":null}}'
      const { lines } = yield* passed(`${call}\n`, '{"params":{"arguments":{"a":null}}}\n')
      assert.deepStrictEqual(lines, [
        '{"method":"tools/call","params":{"name":"svc_context"}}\n',
        '{"params":{"arguments":{"a":null}}}\n'
      ])
    })
  )

  it.effect("A line that is not JSON, too deep or too long is refused, and affects no other", () =>
    Effect.gen(function* () {
      const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
      const wrong = ["nonsense", '{"a":', deep, `"${"x".repeat(4 * MIB)}"`]
      for (const line of wrong) {
        const { lines, refusals } = yield* passed(`{"a":1}\n${line}\n{"b":2}\n`)
        assert.deepStrictEqual([lines, refusals], [['{"a":1}\n', '{"b":2}\n'], 1], line.slice(0, 20))
      }
      const invalid = yield* passed(Uint8Array.of(0x22, 0xff, 0x22, 0x0a), "1\n")
      assert.deepStrictEqual(invalid, { lines: ["1\n"], refusals: 1 })
      const longest = `"${"x".repeat(4 * MIB - 2)}"`
      assert.strictEqual((yield* passed(longest, "\n")).refusals, 0)
    })
  )
})
