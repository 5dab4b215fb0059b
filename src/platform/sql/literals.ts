/**
 * Returns a text as a string literal of SQL. Use it for values that are fixed at start, so that the statement's text
 * never changes.
 */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`
