import { Effect } from "effect"

/** Shows a line on a terminal, in place of the one before. */
export const showProgress = (line: string) =>
  Effect.sync(() => {
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`)
  })

/** Removes the line. */
export const endOfProgress = showProgress("")
