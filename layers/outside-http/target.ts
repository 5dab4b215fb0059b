import { Result } from "effect"
import { NetAddress } from "effect/net"
import type { PostRefusal } from "../../src/platform/ports/OutsideHttp.ts"

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

/** Ports of other protocols, from 1024 on, to which browsers send nothing (Fetch standard). */
const BAD_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10_080
])

const isPostPort = (port: number) => port === 443 || (port >= 1024 && !BAD_PORTS.has(port))

const parsed = (text: string): URL | undefined => {
  const url = URL.parse(text)
  const isAccepted =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  return isAccepted ? url : undefined
}

const isOutsideName = (hostname: string): boolean =>
  !isAddress(hostname) && /\.[^.]+$/.test(hostname) && !LOCAL_NAME.test(hostname)

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
  const url = parsed(text)
  if (url === undefined) return undefined
  if (isAllowed(url, targets)) return { url, isPrivate: true }
  return isOutsideName(url.hostname) && ports.includes(portOf(url)) ? { url, isPrivate: false } : undefined
}

/** Returns the target of a message, or the reason why none may go there. Messages need `https`, and may go to many ports. */
export const postTargetOf = (text: string, targets: PrivateTargets): Target | PostRefusal => {
  const url = parsed(text)
  if (url === undefined) return "invalid"
  if (isAllowed(url, targets)) return { url, isPrivate: true }
  if (url.protocol !== "https:") return "https_required"
  if (!isOutsideName(url.hostname)) return "address_not_public"
  return isPostPort(portOf(url)) ? { url, isPrivate: false } : "port_not_allowed"
}
