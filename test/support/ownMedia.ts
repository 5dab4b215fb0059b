import { Layer } from "effect"
import { OwnMedia } from "../../src/platform/media/OwnMedia.ts"

/** The addresses of images at https://press.test, which had no other host. */
export const ownMedia = OwnMedia.make({
  base: "https://press.test",
  site: "https://press.test",
  hosts: ["press.test"]
})

export const ownMediaLayer = Layer.succeed(OwnMedia, ownMedia)
