interface Family {
  readonly comments: Array<string>
  readonly samples: Array<string>
}

const COMMENT = /^# (?:HELP|TYPE) (\S+)/

const SAMPLE = /^([^\s{]+)(?:\{(.*)\})?( .+)$/

const labelled = (process: string, line: string) =>
  line.replace(SAMPLE, (_, name: string, labels: string | undefined, value: string) => {
    const label = `process="${process}"`
    return `${name}{${labels === undefined || labels === "" ? label : `${label},${labels}`}}${value}`
  })

/**
 * Merges the metrics of several processes, in Prometheus' format. Each sample gets the label `process`, and each family
 * appears once.
 */
export const labelledMetrics = (texts: ReadonlyMap<string, string>): string => {
  const families = new Map<string, Family>()
  for (const [process, text] of texts) {
    let comments: Array<string> = []
    let family: Family | undefined
    for (const line of text.split("\n")) {
      const name = COMMENT.exec(line)?.[1]
      if (name !== undefined) {
        if (!comments.some((comment) => COMMENT.exec(comment)?.[1] === name)) comments = []
        comments.push(line)
        family = families.get(name) ?? { comments, samples: [] }
        families.set(name, family)
      } else if (line !== "") family?.samples.push(labelled(process, line))
    }
  }
  const lines = [...families.values()].flatMap(({ comments, samples }) => comments.concat(samples))
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`
}
