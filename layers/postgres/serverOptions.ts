import { readFileSync } from "node:fs"
import { type ConnectionOptions, createSecureContext, getCACertificates } from "node:tls"
import { Effect, Redacted } from "effect"
import { noConnection } from "./connectionErrors.ts"

/** Returns the authorities of `sslrootcert`, as PEM. */
const authoritiesOf = (rootCertificate: string) =>
  rootCertificate === "system" ? getCACertificates("system") : [readFileSync(rootCertificate, "utf8")]

/**
 * Returns how a connection uses TLS, as libpq does: `require` encrypts, and checks the certificate only if
 * `sslrootcert` names an authority; `verify-ca` checks it, and `verify-full` also its host. Sockets of this machine
 * have no TLS.
 */
const tlsOf = (url: string): ConnectionOptions | boolean => {
  const { searchParams: query } = new URL(url)
  const mode = query.get("sslmode") ?? "disable"
  if (mode === "disable" || query.get("host")?.startsWith("/") === true) return false
  const rootCertificate = query.get("sslrootcert")
  if (rootCertificate === null) return mode === "require" ? { rejectUnauthorized: false } : true
  return {
    secureContext: createSecureContext({ ca: authoritiesOf(rootCertificate) }),
    ...(mode === "verify-full" ? {} : { checkServerIdentity: () => undefined })
  }
}

/**
 * Returns the options of a connection to the one host of a URL. The driver verifies certificates in every mode and
 * ignores `sslrootcert`. The file is read for each connection, so that it can be renewed.
 */
export const serverOptions = (url: Redacted.Redacted) =>
  Effect.try({
    try: () => ({ url, ssl: tlsOf(Redacted.value(url)) }),
    catch: () => noConnection("sslrootcert does not name a file with certificates in PEM")
  })
