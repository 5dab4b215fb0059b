/** Whether two texts name one moment, whose trailing zeros and offset can be spelled in more than one way. */
export const isSameMoment = (a: string, b: string) =>
  a === b || (Date.parse(a) === Date.parse(b) && microsOf(a) === microsOf(b))

const microsOf = (moment: string) => (/\.(\d+)/.exec(moment)?.[1] ?? "").padEnd(9, "0")
