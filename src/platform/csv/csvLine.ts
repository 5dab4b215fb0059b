import { csvCell } from "./csvCell.ts"

/** Returns a line of a table. */
export const csvLine = (cells: ReadonlyArray<string>): string => `${cells.map(csvCell).join(",")}\r\n`
