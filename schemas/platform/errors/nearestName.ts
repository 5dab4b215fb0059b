/** Longer names are not compared: they are not slips of the keyboard. */
const LENGTH_MAX = 40

/** Returns the letters of a name, which is all that `categoryId` and `category_id` have in common. */
const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** Returns the number of letters to add, remove or replace between two words (Levenshtein). */
export const differingLetters = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}

/** Returns the name that a wrong one probably means; undefined if more than about a third of its letters differ. */
export const nearestName = (wrong: string, names: ReadonlyArray<string>): string | undefined => {
  const letters = lettersOf(wrong)
  if (letters.length === 0 || letters.length > LENGTH_MAX) return undefined
  const [nearest] = names
    .map((name) => ({ name, differing: differingLetters(letters, lettersOf(name)) }))
    .toSorted((one, other) => one.differing - other.differing)
  const differingMax = letters.length > 3 ? Math.ceil(letters.length / 3) : 0
  return nearest !== undefined && nearest.differing <= differingMax ? nearest.name : undefined
}
