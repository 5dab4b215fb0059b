import { readFile } from "node:fs/promises"
import { Effect, Layer } from "effect"
import { Assets, type ScriptName } from "../../src/platform/ports/Assets.ts"
import { makeCardPictures } from "./cardPicture.ts"
import { touchIconOf } from "./touchIcon.ts"

/** The files of the pages lie next to the sources and next to the built files. */
const read = (name: string) =>
  Effect.promise(() => readFile(new URL(`../../src/platform/pages/assets/${name}`, import.meta.url), "utf8"))

/** Removes the comments and the white space that only readers of the source need: a tenth of the bytes on the wire. */
const withoutSpaces = (css: string) =>
  css
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s*\n\s*/g, "\n")
    .replaceAll(/\s*([{};,])\s*/g, "$1")
    .replaceAll(": ", ":")

/** Removes the comments that have lines of their own: a third of the bytes on the wire. */
const withoutComments = (js: string) =>
  js.replaceAll(/^[ \t]*(?:\/\/.*|\/\*\*(?:(?!\*\/)[^])*\*\/[ \t]*)\n/gm, "")

const script = (name: ScriptName) => Effect.map(read(`${name}.js`), withoutComments)

/** Reads the files of the pages once, when the service starts. */
export const layer = Layer.effect(
  Assets,
  Effect.all({
    stylesheet: Effect.map(read("reader.css"), withoutSpaces),
    scripts: Effect.all({
      reader: script("reader"),
      checkout: script("checkout"),
      marks: script("marks"),
      tools: script("tools"),
      pasting: script("pasting"),
      editor: script("editor"),
      copies: script("copies"),
      editing: script("editing"),
      places: script("places"),
      pictures: script("pictures"),
      sheet: script("sheet"),
      publish: script("publish"),
      importing: script("importing"),
      saving: script("saving"),
      seen: script("seen"),
      moderating: script("moderating")
    }),
    icon: read("icon.svg"),
    touchIconOf: Effect.succeed(touchIconOf),
    cardPictureOf: makeCardPictures
  })
)
