/** Maximum number of characters of an id. */
const ID_MAX = 60

/** Returns the words of a heading as a part of an address. */
const slugOf = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, "-")
    .slice(0, ID_MAX)
    .replaceAll(/^-+|-+$/g, "")

/** Makes ids of headings, each unique in its text. They begin with `h-`, as no other id of the page does. */
export const makeHeadingIds = (): ((heading: string) => string) => {
  const taken = new Set<string>()
  const last = new Map<string, number>()
  return (heading) => {
    const base = `h-${slugOf(heading) || "part"}`
    let id = base
    for (let count = last.get(base) ?? 2; taken.has(id); count++) {
      id = `${base}-${count}`
      last.set(base, count + 1)
    }
    taken.add(id)
    return id
  }
}
