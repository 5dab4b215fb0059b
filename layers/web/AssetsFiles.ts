import { readFile } from "node:fs/promises"
import { Effect, Layer } from "effect"
import { Assets } from "../../src/platform/ports/Assets.ts"

/** The files of the pages lie beside the sources and beside the built files alike. */
const read = (name: string) =>
  Effect.promise(() => readFile(new URL(`../../src/platform/pages/assets/${name}`, import.meta.url), "utf8"))

/** Removes the parts that only readers of the source need: a twentieth of the bytes on the wire. */
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
