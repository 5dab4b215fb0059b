import { readFileSync } from "node:fs"

/** The rows of the table of metrics in WATCHING.md. */
export const documentedMetrics = [
  ...readFileSync("layers/WATCHING.md", "utf8").matchAll(
    /^\| `(\w+)` \| (counter|gauge|histogram) \| (.*) \|$/gm
  )
].map(([, name = "", kind = "", meaning = ""]) => ({ name, kind, meaning }))

/** Names of metrics in an expression of PromQL: words with `_` outside of labels, groupings and functions. */
export const metricsOf = (expression: string): ReadonlyArray<string> => {
  const plain = expression
    .replaceAll(/\{[^}]*\}|"[^"]*"|\[[^\]]*\]/g, " ")
    .replaceAll(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, " ")
  return [...plain.matchAll(/[a-zA-Z_:][\w:]*(?!\s*\(|\w)/g)]
    .map(([name]) => name)
    .filter((it) => it.includes("_"))
}

/** The expressions of a dashboard, its variables included. */
export const expressionsOf = (dashboard: string): ReadonlyArray<string> => {
  const { panels, templating } = JSON.parse(dashboard)
  const queries = templating.list.flatMap(({ definition }: { definition?: string }) =>
    definition === undefined ? [] : [definition.replace(/^label_values\((.*), \w+\)$/, "$1")]
  )
  return [
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }: { expr: string }) => expr)),
    ...queries
  ]
}
