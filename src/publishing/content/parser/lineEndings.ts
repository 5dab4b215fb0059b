/** The ends of lines that CommonMark knows. */
export const LINE_ENDING = /\r\n|\n|\r/g

/** Lines as one. */
export const joinLines = (text: string): string => text.replaceAll(LINE_ENDING, " ")

/** A title or description, which has one line; null when it says nothing. */
export const oneLine = (text: string | null | undefined): string | null => joinLines(text ?? "") || null
