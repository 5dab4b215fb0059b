import { Flag } from "effect/cli"
import { PageCursor, PageLimit } from "../../../schemas/engagement/moderation/rpc.ts"
import { textFlag, wholeFlag } from "../arguments/checkedArguments.ts"

/** The paging flags of a list. */
export const page = {
  limit: wholeFlag("limit", PageLimit).pipe(
    Flag.withDescription("Maximum number of lines, 1 to 100"),
    Flag.withDefault(50)
  ),
  cursor: textFlag("cursor", PageCursor).pipe(
    Flag.withDescription("The nextCursor in the last line of the previous page"),
    Flag.optional
  )
}

/** Prints a page: a line of JSON for each entry, and one for the cursor when there are more. */
export const pageLines = (
  entries: ReadonlyArray<object>,
  nextCursor: string | null
): ReadonlyArray<string> => [
  ...entries.map((entry) => JSON.stringify(entry)),
  ...(nextCursor === null ? [] : [JSON.stringify({ nextCursor })])
]
