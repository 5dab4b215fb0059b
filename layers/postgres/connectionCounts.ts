/**
 * Connections of searches and of lists with filters. Each runs one statement at a time, so a search waits behind a slow one
 * only when none is free.
 */
export const SEARCH_CONNECTIONS = 4

/** Connections of a process in addition to its pool: those of searches, two listeners and the locks. */
export const OUTSIDE_POOL = SEARCH_CONNECTIONS + 3
