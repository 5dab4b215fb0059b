import { Context } from "effect"

/**
 * A script of the pages, plain JavaScript that imports nothing. Every page loads `reader`. A private page may name others,
 * which share with each other only the document and its events.
 */
export type ScriptName = "reader" | "toolbar" | "editor" | "pictures" | "saving"

/** Files that pages load, as text. */
export class Assets extends Context.Service<
  Assets,
  {
    readonly stylesheet: string
    readonly scripts: Readonly<Record<ScriptName, string>>
    readonly icon: string
  }
>()("pennypress/platform/ports/Assets") {}
