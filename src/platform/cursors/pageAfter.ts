import { Effect, Option } from "effect"
import { Validation } from "../../../schemas/platform/errors/common.ts"
import { Cursors } from "./Cursors.ts"

/**
 * Makes the function that reads the place where a page begins: after the id in a cursor of this list or, without a
 * cursor, at the beginning of the list. Fails with `Validation` for a cursor of another list.
 */
export const makePageAfter = <Id>(
  decodePosition: (position: ReadonlyArray<string>) => Option.Option<readonly [Id]>
) =>
  Effect.map(Cursors, (cursors) =>
    Effect.fnUntraced(function* (list: string, cursor: string | undefined) {
      if (cursor === undefined || cursor === "") return undefined
      const position = Option.flatMap(yield* cursors.read(list, cursor), decodePosition)
      if (Option.isSome(position)) return position.value[0]
      const message = "Send the nextCursor of this list, or an empty cursor to begin"
      return yield* new Validation({ errors: [{ field: "cursor", code: "invalid", message }] })
    })
  )
