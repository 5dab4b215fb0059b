import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { parse } from "yaml"
import { variables } from "../../layers/config/environment.ts"
import { documentedMetrics, metricsOf } from "../support/metrics.ts"
import { files } from "../support/modules.ts"
import { runbookBlocks } from "../support/runbook.ts"

const RUNBOOK = "layers/RUNBOOK.md"
const runbook = readFileSync(RUNBOOK, "utf8")
const source = files
  .filter((file) => /^(src|layers)\//.test(file))
  .map((file) => readFileSync(file, "utf8"))
  .join("\n")

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook_url: string }
}

const alerts: ReadonlyArray<Alert> = parse(readFileSync("layers/deploy/alerts.yaml", "utf8")).groups.flatMap(
  ({ rules }: { rules: ReadonlyArray<Alert> }) => rules
)

/** The anchors of a document's headings, as GitHub makes them. */
const anchorsOf = (file: string) =>
  [...readFileSync(file, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(" ", "-")
  )

const sections = runbook.split(/^## /m).slice(1)
const prose = runbook.replaceAll(/```[\s\S]*?```/g, "")
const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, text = ""]) => text)

describe("the alerts", () => {
  it("Each alert has a severity, a time, a summary in one sentence, and a part of the runbook", () => {
    const anchors = new Set(anchorsOf(RUNBOOK))
    assert.isAbove(alerts.length, 15)
    for (const { alert, annotations, labels, for: time } of alerts) {
      assert.match(alert, /^Pennypress[A-Z]/)
      assert.include(["critical", "warning"], labels.severity, alert)
      assert.match(time, /^\d+[mh]$/, alert)
      assert.match(annotations.summary.replaceAll(/\{\{[^}]*\}\}/g, "X"), /^[A-Z][^.!?]*\.$/, alert)
      const [file, anchor = ""] = annotations.runbook_url.split("#")
      assert.strictEqual(file, RUNBOOK, alert)
      assert.isTrue(anchors.has(anchor), `${alert}: ${anchor}`)
    }
    assert.lengthOf([...new Set(alerts.map(({ alert }) => alert))], alerts.length)
  })

  it("Each expression asks for metrics that exist", () => {
    const names = new Set(
      documentedMetrics.flatMap(({ kind, name }) =>
        kind === "histogram" ? [`${name}_bucket`, `${name}_count`] : [name]
      )
    )
    const asked = alerts.flatMap(({ expr }) => metricsOf(expr))
    assert.isAbove(asked.length, 15)
    assert.deepStrictEqual(
      asked.filter((name) => !names.has(name)),
      []
    )
  })
})

describe("the runbook", () => {
  it("Each part says what it looks like, what to look at and what to do", () => {
    for (const section of sections) {
      const labels = [...section.matchAll(/^- \*\*(.+?)\.\*\*/gm)].map(([, label]) => label)
      assert.deepStrictEqual(labels, ["Looks like", "Look at", "Do"], section.split("\n")[0])
    }
  })

  it("Each alert, metric and sentence of the log that it names exists", () => {
    const known = new Set([...alerts.map(({ alert }) => alert), ...documentedMetrics.map(({ name }) => name)])
    const [said, named] = [
      /^[A-Z][a-z]* .*[a-z]/,
      /^(Pennypress[A-Z]\w+|[a-z]+(_[a-z]+)+_(total|seconds|bytes|info|state|waiting|listening))$/
    ].map((form) => spans.filter((text) => form.test(text)))
    assert.isAbove(said?.length ?? 0, 15)
    assert.isAbove(named?.length ?? 0, 15)
    // The source may write a long text in several lines.
    assert.deepStrictEqual(
      said?.filter((text) => !source.includes(text)),
      []
    )
    assert.deepStrictEqual(
      named?.filter((text) => !known.has(text)),
      []
    )
  })

  it("Each setting that it names exists", () => {
    const named = spans.flatMap((text) => /^([A-Z]+(?:_[A-Z]+)+)(?:=|$)/.exec(text)?.[1] ?? [])
    assert.isAbove(named.length, 8)
    assert.deepStrictEqual(
      named.filter((name) => !(name in variables)),
      []
    )
  })

  it("Each command is in a block that a test runs", () => {
    const infos = [...runbook.matchAll(/^ *```(.+)$/gm)].map(([, info]) => info)
    assert.isAbove(infos.length, 15)
    assert.deepStrictEqual(
      infos.filter(
        (info) => !["sh runbook", "sql runbook", "sh cluster", "sh embedded"].includes(info ?? "")
      ),
      []
    )
  })

  it("Each command for a cluster is run by a test of the cluster", () => {
    const tests = globSync("test/cluster/*.test.ts").map((file) => readFileSync(file, "utf8"))
    const commands = runbookBlocks("sh cluster").flatMap((block) => block.split("\n"))
    assert.isAtLeast(commands.length, 3)
    assert.deepStrictEqual(
      commands.filter((command) => !tests.some((text) => text.includes(`"${command.trim()}"`))),
      []
    )
  })

  it("Each link leads to a part of a document that exists", () => {
    const links = [...runbook.matchAll(/\]\(([\w.-]*)#([\w-]+)\)/g)]
    assert.isAbove(links.length, 3)
    for (const [link, file = "", anchor = ""] of links)
      assert.include(anchorsOf(file === "" ? RUNBOOK : `layers/${file}`), anchor, link)
  })
})
