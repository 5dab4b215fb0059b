/** The line endings of CommonMark. */
export const LINE_ENDING = /\r\n|\n|\r/g

/** Joins lines with spaces. */
export const joinLines = (text: string): string => text.replaceAll(LINE_ENDING, " ")

/** Returns a title or description as one line, or null when it is empty. */
export const oneLine = (text: string | null | undefined): string | null => joinLines(text ?? "") || null
