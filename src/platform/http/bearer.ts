const BEARER = /^bearer +(\S+)$/i

/** The credential of an Authorization header; undefined when it has none of this scheme. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  BEARER.exec(authorization ?? "")?.[1]
