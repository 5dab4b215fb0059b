import { Result } from "effect"
import { NetAddress } from "effect/net"

/** Targets of the operator's own network: `host:port` each, and the port of this service, which is none of them. */
export interface PrivateTargets {
  readonly named: ReadonlyArray<string>
  /** Allows every port of this machine but this one. Undefined for a service that other machines reach. */
  readonly loopbackBut: number | undefined
}

export const NO_TARGETS: PrivateTargets = { named: [], loopbackBut: undefined }

/** A URL to connect to. */
export interface Target {
  readonly url: URL
  /** True when the operator allows it at any address. */
  readonly isPrivate: boolean
}

/** The ports of the web, `http` and `https`. */
export const WEB_PORTS: ReadonlyArray<number> = [80, 443]

/** Names of this machine and of local networks. */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal)$/

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

const portOf = ({ port, protocol }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port)

const isAddress = (hostname: string): boolean =>
  hostname.startsWith("[") || Result.isSuccess(NetAddress.ipFromString(hostname))

const isAllowed = (url: URL, { loopbackBut, named }: PrivateTargets): boolean => {
  const port = portOf(url)
  if (named.includes(`${url.hostname}:${port}`)) return true
  return loopbackBut !== undefined && LOOPBACK.test(url.hostname) && port !== loopbackBut
}

/**
 * Returns the target of a URL, or undefined for one that no request may go to: it is not HTTP, carries a user name, names an
 * address or a local name, or another port than those of the web. Spellings of addresses are read as WHATWG URLs are, so
 * `http://0x7f.1` names `127.0.0.1`.
 */
export const targetOf = (
  text: string,
  targets: PrivateTargets,
  ports: ReadonlyArray<number>
): Target | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return undefined
  if (isAllowed(url, targets)) return { url, isPrivate: true }
  const { hostname } = url
  const isName = !isAddress(hostname) && /\.[^.]+$/.test(hostname) && !LOCAL_NAME.test(hostname)
  return isName && ports.includes(portOf(url)) ? { url, isPrivate: false } : undefined
}
