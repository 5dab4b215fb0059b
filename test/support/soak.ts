/** Chooses the short form of a test or, with `SOAK=1`, the long form, which the gate plays once. */
export const soak = (short: number, long: number) => (process.env["SOAK"] === "1" ? long : short)
