import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { documentedMetrics, expressionsOf, metricsOf } from "../support/metrics.ts"
import { files } from "../support/modules.ts"

const sources = files.filter((file) => /^(src|layers)\//.test(file)).map((file) => readFileSync(file, "utf8"))

const MADE = /\bMetric\.(counter|gauge|histogram|frequency|summary|timer)\(/g
const DESCRIBED = /\bMetric\.(counter|gauge|histogram)\("([^"]+)",\s*\{\s*description:\s*"([^"]+)"/g

/** The metrics that the source makes, as lines of the table. */
const made = sources.flatMap((source) =>
  [...source.matchAll(DESCRIBED)].map(([, kind = "", name = "", meaning = ""]) => ({ name, kind, meaning }))
)

const dashboard = readFileSync("layers/deploy/grafana/pennypress.json", "utf8")

describe("the metrics", () => {
  it("Each metric has a literal name and a description, and its row in the table of WATCHING.md", () => {
    const count = sources.reduce((sum, source) => sum + [...source.matchAll(MADE)].length, 0)
    assert.lengthOf(made, count)
    assert.deepStrictEqual(
      documentedMetrics,
      made.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    )
  })

  it("Names follow the conventions of Prometheus", () => {
    for (const { kind, meaning, name } of made) {
      assert.match(name, /^[a-z][a-z0-9]*(_[a-z0-9]+)+$/)
      assert.strictEqual(name.endsWith("_total"), kind === "counter", name)
      if (kind === "histogram") assert.match(name, /_(seconds|bytes)$/)
      assert.notMatch(name, /_(ms|millis|milliseconds|minutes|hours|days|kb|mb|mib|count|sum|bucket)\b/)
      assert.notMatch(meaning, /\.$/, name)
    }
  })

  it("Every panel of the dashboard asks for metrics that exist, and says what it shows", () => {
    const { panels, templating, uid } = JSON.parse(dashboard)
    const names = new Set(
      made.flatMap(({ kind, name }) => (kind === "histogram" ? [`${name}_bucket`, `${name}_count`] : [name]))
    )
    const asked = expressionsOf(dashboard).flatMap(metricsOf)
    assert.deepStrictEqual(
      asked.filter((name) => !names.has(name)),
      []
    )
    assert.isAbove(new Set(asked).size, 25)
    assert.strictEqual(uid, "pennypress")
    const ids = panels.map(({ id }: { id: number }) => id)
    assert.lengthOf([...new Set(ids)], ids.length)
    const taken = new Set<string>()
    for (const { datasource, description, gridPos, targets = [], title, type } of panels) {
      assert.isNotEmpty(title)
      if (type === "row") continue
      assert.include(["timeseries", "stat"], type)
      assert.match(description, /\.$/, title)
      assert.deepStrictEqual(datasource, { type: "prometheus", uid: `\${${templating.list[0].name}}` })
      assert.isNotEmpty(targets, title)
      assert.isAtMost(gridPos.x + gridPos.w, 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        assert.isFalse(taken.has(`${x} ${gridPos.y}`), `${title} overlaps`)
        taken.add(`${x} ${gridPos.y}`)
      }
    }
    const variables = new Set(templating.list.map(({ name }: { name: string }) => name))
    for (const [, name = ""] of dashboard.matchAll(/\$\{?([a-z]\w*)\}?/g))
      assert.isTrue(variables.has(name), name)
  })

  it("The check of expressions finds a metric that does not exist", () => {
    const expression =
      'topk(3, histogram_quantile(0.9, sum by (le, a_b) (rate(x_seconds_bucket{a_b="c_d"}[5m])))) / max(y_z)'
    assert.deepStrictEqual(metricsOf(expression), ["x_seconds_bucket", "y_z"])
  })
})
