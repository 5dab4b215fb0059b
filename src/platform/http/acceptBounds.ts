/** Accept headers whose meaning is kept. Clients send few different ones. */
export const KNOWN_MAX = 256

/** Characters of an Accept header that are read. Those of clients are shorter, and long ones take milliseconds. */
export const HEADER_LENGTH_MAX = 1_024
