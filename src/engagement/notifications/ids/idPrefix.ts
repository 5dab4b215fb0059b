/** Returns the beginning of the ids of notifications of this moment: their order is that of their times. */
export const idPrefix = (at: Date) => at.getTime().toString(16).padStart(12, "0")
