import { Effect } from "effect"
import { PictureRefused } from "./PictureRefused.ts"

/** Fetches the bytes of a picture that is elsewhere. Nothing is fetched yet: the place keeps a link. */
export const remoteBytes = (_url: string): Effect.Effect<Uint8Array, PictureRefused> =>
  Effect.fail(
    new PictureRefused({ code: "image_unavailable", message: "Pictures of other sites are not fetched." })
  )
