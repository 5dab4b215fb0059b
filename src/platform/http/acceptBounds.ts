/** Number of Accept headers whose meaning is kept. Clients send few different ones. */
export const KNOWN_MAX = 256

/**
 * Maximum number of characters that are read of an Accept header. The headers of clients are shorter, and long ones
 * take milliseconds.
 */
export const HEADER_LENGTH_MAX = 1_024
