/** Returns true when two texts name one moment. Their trailing zeros and offsets may differ. */
export const isSameMoment = (a: string, b: string) =>
  a === b || (Date.parse(a) === Date.parse(b) && microsOf(a) === microsOf(b))

const microsOf = (moment: string) => (/\.(\d+)/.exec(moment)?.[1] ?? "").padEnd(9, "0")
