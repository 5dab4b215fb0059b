import { createRequire } from "node:module"
import type { Highlight } from "../../src/publishing/content/html/pageText.ts"

interface Highlighter {
  readonly registered: (language: string) => boolean
  readonly highlight: (
    language: string,
    code: string
  ) => { readonly children: NonNullable<ReturnType<Highlight>> }
}

/** The part of `lowlight` that is used here. Its own types bring those of browsers, which the service does not have. */
interface Lowlight {
  readonly common: object
  readonly createLowlight: (grammars: object) => Highlighter
}

const load = createRequire(import.meta.url)

let loaded: Highlighter | undefined

/** Returns the highlighter. The first block of code loads it, because its grammars take 20 MB of each thread. */
const highlighter = (): Highlighter => {
  if (loaded === undefined) {
    const { common, createLowlight } = load("lowlight") as Lowlight
    loaded = createLowlight(common)
  }
  return loaded
}

/** Colours code in the 37 languages that are used most. */
export const highlight: Highlight = (code, language) => {
  const lowlight = highlighter()
  return lowlight.registered(language) ? lowlight.highlight(language, code).children : undefined
}
