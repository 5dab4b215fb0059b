/** Prints a page: a line of JSON for each entry, and one for the cursor when there are more. */
export const pageLines = (
  entries: ReadonlyArray<object>,
  nextCursor: string | null
): ReadonlyArray<string> => [
  ...entries.map((entry) => JSON.stringify(entry)),
  ...(nextCursor === null ? [] : [JSON.stringify({ nextCursor })])
]
