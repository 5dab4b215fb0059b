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
  | "moderating"

/** Pixels of the picture of a shared link. */
export const CARD_WIDTH = 1_200
export const CARD_HEIGHT = 630

/** The words on the picture of a shared link. */
export interface CardWords {
  readonly title: string
  readonly name: string
  readonly handle: string
  /** The name of the site, and its host for a name that cannot be drawn. */
  readonly site: string
  readonly host: string
  /** A colour, as `#rrggbb`. */
  readonly accent: string
}

/** Files that pages load, as text, and pictures that are drawn. */
export class Assets extends Context.Service<
  Assets,
  {
    readonly stylesheet: string
    readonly scripts: Readonly<Record<ScriptName, string>>
    readonly icon: string
    /** Draws an SVG or a PNG as a PNG of 180 px, for programs that show no SVG. */
    readonly touchIconOf: (picture: Uint8Array) => Effect.Effect<Uint8Array<ArrayBuffer>>
    /** Draws the picture of a shared link as a PNG. Scripts that it has no glyphs of are left out. */
    readonly cardPictureOf: (words: CardWords) => Effect.Effect<Uint8Array<ArrayBuffer>>
  }
>()("pennypress/platform/ports/Assets") {}
