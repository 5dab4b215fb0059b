import type { LogPosition } from "../../src/platform/ports/Signals.ts"

/** Reads a `pg_lsn`, such as `16/B374D848`. */
export const logPositionOf = (lsn: string): LogPosition => {
  const [high = "0", low = "0"] = lsn.split("/")
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
