import { assert, describe, it } from "@effect/vitest"
import { labelledMetrics } from "../../../src/bin/processes/labelledMetrics.ts"

describe("metrics of several processes", () => {
  it("Merged metrics name the process of each sample, and each family once", () => {
    const text = (count: number) =>
      [
        "# HELP requests Requests",
        "# TYPE requests counter",
        `requests{route="/a{b}",status="200"} ${count}`,
        "# TYPE running gauge",
        `running ${count}`,
        ""
      ].join("\n")
    const merged = labelledMetrics(
      new Map([
        ["1", text(3)],
        ["2", text(4)]
      ])
    )
    assert.deepStrictEqual(merged.split("\n"), [
      "# HELP requests Requests",
      "# TYPE requests counter",
      'requests{process="1",route="/a{b}",status="200"} 3',
      'requests{process="2",route="/a{b}",status="200"} 4',
      "# TYPE running gauge",
      'running{process="1"} 3',
      'running{process="2"} 4',
      ""
    ])
  })

  it("A family may exist in one process only", () => {
    const merged = labelledMetrics(
      new Map([
        ["1", ""],
        ["2", "# TYPE a counter\na 1\n"]
      ])
    )
    assert.strictEqual(merged, '# TYPE a counter\na{process="2"} 1\n')
  })
})
