import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"
import { started } from "./server.ts"
import { get } from "./sockets.ts"

/** Lines that an operator's alerts rely on. */
const LINES = [
  /^pennypress_build_info\{release="\d[^"]*",node="24[^"]*"\} 1$/m,
  /^database_migration \d+$/m,
  /^database_connections\{pool="requests"\} [1-9]\d*$/m,
  /^database_connections\{pool="searches"\} \d+$/m,
  /^database_statements\{pool="requests"\} \d+$/m,
  /^signals_listening\{topic="public_answers"\} 1$/m,
  /^signals_listening\{topic="work"\} 1$/m,
  /^work_overdue_seconds\{kind="mails"\} 0$/m,
  /^process_resident_memory_bytes [1-9]\d+$/m,
  /^nodejs_heap_used_bytes [1-9]\d+$/m,
  /^nodejs_heap_total_bytes [1-9]\d+$/m,
  /^nodejs_eventloop_delay_seconds [\d.e-]+$/m
]

describe("the metrics of a process", () => {
  it.live("A process measures itself, its pools, its signals and its work", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_wire_metrics")
      let text = ""
      const isWhole = Effect.map(get(`${origin}/metrics`), (answer) => {
        text = answer.text
        return LINES.every((line) => line.test(text))
      })
      yield* eventually("every line of the metrics", isWhole)
      for (const line of LINES) assert.match(text, line)
    })
  )
})
