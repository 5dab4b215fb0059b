import type { Highlight } from "../../src/publishing/content/html/pageText.ts"

/** The part of `lowlight` that is used here. Its own types bring those of browsers, which the service does not have. */
interface Lowlight {
  readonly common: object
  readonly createLowlight: (grammars: object) => {
    readonly registered: (language: string) => boolean
    readonly highlight: (
      language: string,
      code: string
    ) => { readonly children: NonNullable<ReturnType<Highlight>> }
  }
}

const name: string = "lowlight"
const { common, createLowlight } = (await import(name)) as Lowlight
const lowlight = createLowlight(common)

/** Colours code in the 37 languages that are used most. */
export const highlight: Highlight = (code, language) =>
  lowlight.registered(language) ? lowlight.highlight(language, code).children : undefined
