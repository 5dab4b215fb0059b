import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { Effect, Layer } from "effect"
import { Assets } from "../../src/platform/ports/Assets.ts"

const require = createRequire(import.meta.url)

const textOf = (file: URL | string) => Effect.promise(() => readFile(file, "utf8"))

/** The files of the pages lie beside the sources and beside the built files alike. */
const read = (name: string) => textOf(new URL(`../../src/platform/pages/assets/${name}`, import.meta.url))

/** The toolbar of a text field, as its package has it. Its license asks for the first line. */
const toolbar = Effect.map(
  Effect.suspend(() => textOf(require.resolve("@github/markdown-toolbar-element"))),
  (text) => `// @github/markdown-toolbar-element, Copyright GitHub, Inc., MIT License\n${text}`
)

/** Removes the white space that only readers of the source need: a twelfth of the bytes on the wire. */
const withoutSpaces = (css: string) =>
  css
    .replaceAll(/\s*\n\s*/g, "\n")
    .replaceAll(/\s*([{};,])\s*/g, "$1")
    .replaceAll(": ", ":")

/** Reads the files of the pages once, when the service starts. */
export const layer = Layer.effect(
  Assets,
  Effect.all({
    stylesheet: Effect.map(read("reader.css"), withoutSpaces),
    scripts: Effect.all({
      reader: read("reader.js"),
      toolbar,
      editor: read("editor.js"),
      pictures: read("pictures.js"),
      saving: read("saving.js")
    }),
    icon: read("icon.svg")
  })
)
