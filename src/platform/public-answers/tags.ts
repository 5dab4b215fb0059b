/** The tags of public answers that no feature declares. */
export const tags = {
  /** The accounts that are public. Every answer has this tag. */
  visibility: "visibility",
  /** Changes without notice: an answer with this tag is made for every reader. */
  never: "never"
} as const
