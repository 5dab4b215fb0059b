import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { Pepper } from "../ports/Pepper.ts"

/** Begins every cursor, so that a later form can be told apart. */
const VERSION = "1"

/** Maximum number of characters of a cursor. Use it as the bound of the query parameter. */
export const CURSOR_CHARACTERS_MAX = 400

const decodeKey = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

/**
 * Opaque cursors of lists. Each is bound to its list and authenticated: a client can neither use it in another list nor
 * make one up.
 */
export class Cursors extends Context.Service<
  Cursors,
  {
    /**
     * Returns the cursor that continues this list after a position. `list` names the list and everything that decides
     * its rows.
     */
    readonly make: (list: string, position: ReadonlyArray<string>) => Effect.Effect<string>
    /** Returns the position of a cursor of this list; none for any other text. */
    readonly read: (list: string, cursor: string) => Effect.Effect<Option.Option<ReadonlyArray<string>>>
  }
>()("pennypress/platform/cursors/Cursors") {
  static readonly layer = Layer.effect(
    Cursors,
    Effect.map(Pepper, (pepper) => {
      const signed = (list: string, key: string) => `cursor ${VERSION} ${list} ${key}`

      return Cursors.of({
        make: Effect.fnUntraced(function* (list, position) {
          const key = JSON.stringify(position)
          const mac = yield* pepper.hash(signed(list, key))
          return `${VERSION}.${Base64Url.encode(key)}.${Base64Url.encode(mac)}`
        }),
        read: Effect.fnUntraced(function* (list, cursor) {
          const [version, encodedKey = "", encodedMac = "", ...rest] = cursor.split(".")
          const key = Result.getOrUndefined(Base64Url.decodeString(encodedKey))
          const mac = Result.getOrUndefined(Base64Url.decode(encodedMac))
          if (version !== VERSION || rest.length > 0 || key === undefined || mac === undefined)
            return Option.none()
          return (yield* pepper.matches(signed(list, key), mac)) ? decodeKey(key) : Option.none()
        })
      })
    })
  )
}
