import type { ImportFile } from "../../ImportedItem.ts"

const ENDING = /\.(?:md|markdown|mdown|mdx|qmd)$/i

/** Returns the texts of a file, in its order: with an ending of Markdown or, if there is none, `.txt`. */
export const markdownEntries = (file: ImportFile): ReadonlyArray<string> => {
  const names = file.entries.map(({ name }) => name)
  const texts = names.filter((name) => ENDING.test(name))
  return texts.length > 0 ? texts : names.filter((name) => /\.txt$/i.test(name))
}

/** A folder of paid texts, such as that of our own export. */
export const SOLD = /(?:^|\/)_?paid\//i

/** The name of a file in `paid/` of our own export, whose sections have no front matter. A system numbers copies of it. */
export const SOLD_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?: ?\(\d+\)| (?:- )?[Cc]opy(?: \(?\d+\)?)?)?\.md$/

const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "")

/** Returns the name of a text without its date: of its folder for `index.md`. */
export const nameOf = (path: string) => {
  const parts = path.split("/")
  const name = /^(?:index|readme)$/i.test(baseName(path)) ? (parts.at(-2) ?? "") : baseName(path)
  return name.replace(/^\d{4}-\d{2}-\d{2}[-_ ]/, "")
}

/** Returns the last date in the names of a path, such as `2024-03-02`, or an empty text. */
export const dateIn = (path: string) => {
  const dates = [...path.matchAll(/(?:^|\/)(\d{4}-\d{2}-\d{2})(?=[-_ ./])/g)]
  return dates.at(-1)?.[1] ?? ""
}

/** Names of notes, with the entries that they mean: the whole path, or the last part if one entry has it. */
export const notesOf = (file: ImportFile) => {
  const notes = new Map<string, string | null>()
  for (const { name } of file.entries) {
    const whole = name.toLowerCase()
    const plain = whole.replace(ENDING, "")
    for (const key of new Set([whole, plain])) notes.set(key, name)
    const last = plain.slice(plain.lastIndexOf("/") + 1)
    for (const key of new Set([
      last,
      last.replace(/^\d{4}-\d{2}-\d{2}-/, ""),
      whole.slice(whole.lastIndexOf("/") + 1)
    ]))
      if (key !== plain && key !== whole)
        notes.set(key, notes.has(key) && notes.get(key) !== name ? null : name)
  }
  return notes
}

/** Returns the address of an entry from the root of its archive. */
export const rootPath = (name: string) => `/${name.split("/").map(encodeURIComponent).join("/")}`
