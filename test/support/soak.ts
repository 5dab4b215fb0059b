/**
 * Chooses the form of a test: the short one or, with `SOAK=1`, the long one, which `.ci/soak` plays. `SOAK=full` plays the
 * longest, which may take an hour.
 */
export const soak = (short: number, long: number, full: number = long) => {
  const form = process.env["SOAK"]
  return form === "full" ? full : form === "1" ? long : short
}
