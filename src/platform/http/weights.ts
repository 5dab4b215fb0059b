/** Returns the members of an Accept header in lower case with their weights, from 0, refused, to 1. */
export const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header
      .toLowerCase()
      .split(",")
      .map((member) => {
        const [name = "", ...parameters] = member.split(";").map((part) => part.trim())
        const q = parameters.find((it) => it.startsWith("q="))?.slice(2)
        return [name, q === undefined ? 1 : Math.min(1, Math.max(0, Number(q) || 0))]
      })
  )
