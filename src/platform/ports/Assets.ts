import { Context, type Effect } from "effect"

/**
 * A script of the pages, a module of plain JavaScript. Every page loads `reader`, and a private page may name others. A module
 * imports another one as `./<name>.js`.
 */
export type ScriptName =
  | "reader"
  | "checkout"
  | "marks"
  | "tools"
  | "pasting"
  | "editor"
  | "copies"
  | "editing"
  | "places"
  | "pictures"
  | "sheet"
  | "publish"
  | "importing"
  | "saving"
  | "seen"

/** Files that pages load, as text. */
export class Assets extends Context.Service<
  Assets,
  {
    readonly stylesheet: string
    readonly scripts: Readonly<Record<ScriptName, string>>
    readonly icon: string
    /** Draws an SVG or a PNG as a PNG of 180 px, for programs that show no SVG. */
    readonly touchIconOf: (picture: Uint8Array) => Effect.Effect<Uint8Array<ArrayBuffer>>
  }
>()("pennypress/platform/ports/Assets") {}
