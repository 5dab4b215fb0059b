/** A text as a string literal of SQL: for what is fixed at start, so that a statement stays the same text. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
