import type { Import, ImportKind } from "../../../schemas/publishing/imports/Import.ts"
import type { Item } from "../../../schemas/publishing/imports/Item.ts"

/** The names of the forms, as their users call them. */
export const KINDS: Readonly<Record<ImportKind, string>> = {
  pennypress: "Pennypress",
  markdown: "Markdown",
  ghost: "Ghost",
  wordpress: "WordPress",
  substack: "Substack",
  medium: "Medium"
}

/** The words for the end of an item. */
export const OUTCOMES: Readonly<Record<Item["outcome"], string>> = {
  new: "Ready",
  update: "Changed since you brought it",
  unchanged: "Already here",
  conflict: "You edited it here",
  skipped: "Left out",
  refused: "Can't be read",
  created: "Draft made",
  updated: "Draft updated",
  kept: "Kept as you edited it",
  failed: "Failed"
}

/** The words for the part of an item that stays. */
export const SEVERITIES: Readonly<Record<Item["report"][number]["severity"], string>> = {
  stop: "Not brought",
  lost: "Left out of the text",
  changed: "Said otherwise",
  note: "Good to know"
}

/** The headings of the page of an import. */
export const STATES: Readonly<Record<Import["state"], string>> = {
  awaiting_file: "Your file is on its way",
  reading: "We're reading your file",
  review: "Here's what we found",
  applying: "We're making your drafts",
  done: "Your posts are here",
  failed: "We couldn't read that file",
  cancelled: "You stopped this import"
}

/** Places where authors find the file that their platform gives them. */
export const EXPORTS = [
  { kind: "substack", where: "Settings → Import / Export → New export. Choose the ZIP that they mail you." },
  {
    kind: "ghost",
    where:
      "Settings → Import/Export → Export content. With pictures: a ZIP of the JSON file and content/images."
  },
  {
    kind: "medium",
    where: "Settings → Security and apps → Download your information. Choose the ZIP that they mail you."
  },
  {
    kind: "wordpress",
    where: "Tools → Export → All content. With pictures: a ZIP of the XML file and wp-content/uploads."
  },
  {
    kind: "markdown",
    where: "A ZIP of your folder, as Hugo, Jekyll, Astro or Obsidian have it, pictures included."
  }
] as const satisfies ReadonlyArray<{ readonly kind: ImportKind; readonly where: string }>

/** Writes a number of things. */
export const countOf = (count: number, one: string, many: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`

/** Writes bytes as people read them. */
export const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024
    ? `${Math.ceil(bytes / 1024).toLocaleString("en")} KiB`
    : `${(bytes / 1024 / 1024).toLocaleString("en", { maximumFractionDigits: 1 })} MiB`

/** The sentences about limits on imports. */
export const TOO_MANY: Readonly<Record<string, string>> = {
  import: "That was too fast. Try again in a minute.",
  "imports-day": "You began ten imports today. Come back tomorrow."
}
