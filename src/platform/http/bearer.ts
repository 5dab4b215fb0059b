const BEARER = /^bearer +(\S+)$/i

/** Returns the credential of an Authorization header, or undefined when it has none of this scheme. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  BEARER.exec(authorization ?? "")?.[1]
