import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"
import { documentedMetrics } from "../support/metrics.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"

const promtool = (args: ReadonlyArray<string>, input = "") => {
  const { status, stderr, stdout } = spawnSync("promtool", args, { encoding: "utf8", input })
  return { status, text: `${stdout}${stderr}` }
}

describe("Prometheus", () => {
  it("The rules are valid", () => {
    const { status, text } = promtool([
      "check",
      "rules",
      "--lint=all",
      "--lint-fatal",
      "layers/deploy/alerts.yaml"
    ])
    assert.strictEqual(status, 0, text)
    assert.notMatch(text, /duplicate/)
  })

  it("Each alert fires for what it is for, and stays silent otherwise", () => {
    const { status, text } = promtool(["test", "rules", "test/services/alerts.test.yaml"])
    assert.strictEqual(status, 0, text)
  })

  it.live("A service answers with metrics of the table alone, in the form that Prometheus asks for", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_monitoring")
      for (const path of ["/", "/api/posts", "/health/ready", "/api/v1/me"]) yield* get(`${origin}${path}`)
      const { text } = yield* get(`${origin}/metrics`)
      const { status, text: complaints } = promtool(["check", "metrics"], text)
      assert.include(text, 'route="/health/ready",status="200"')
      assert.strictEqual(complaints, "")
      assert.strictEqual(status, 0)
      const kinds = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", kind = ""]) => [
        name,
        kind
      ])
      assert.isAbove(kinds.length, 12)
      for (const [name = "", kind] of kinds) {
        const row = documentedMetrics.find((it) => it.name === name)
        assert.strictEqual(row?.kind, kind, name)
        assert.include(text, `# HELP ${name} ${row?.meaning}\n`)
      }
    })
  )

  it.live("The check of rules finds a mistake", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryDirectory, "wrong.yaml")
      writeFileSync(file, "groups: [{ name: a, rules: [{ alert: B, expr: 'sum(' }] }]")
      assert.notStrictEqual(promtool(["check", "rules", file]).status, 0)
    })
  )
})
