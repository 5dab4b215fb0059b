import { readFile } from "node:fs/promises"
import { Effect, Layer } from "effect"
import { Assets } from "../../src/platform/ports/Assets.ts"

/** Beside the sources as beside the files that are built from them. */
const read = (name: string) =>
  Effect.promise(() => readFile(new URL(`../../src/platform/pages/assets/${name}`, import.meta.url), "utf8"))

/** Removes what only the readers of the source need: a twentieth of the bytes on the wire. */
const withoutIndentation = (text: string) => text.replaceAll(/\s*\n\s*/g, "\n")

/** Reads the files of the pages once, when the service starts. */
export const layer = Layer.effect(
  Assets,
  Effect.all({
    stylesheet: Effect.map(read("reader.css"), withoutIndentation),
    script: read("reader.js"),
    icon: read("icon.svg")
  })
)
