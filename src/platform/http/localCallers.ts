import { Effect, type Option } from "effect"
import { NetAddress } from "effect/net"
import { Settings } from "../ports/Settings.ts"
import { peerOf } from "../rate-limits/clientAddress.ts"
import { makeTokenCheck } from "../secrets/tokenCheck.ts"

/** The parts of a request that say where it comes from. */
interface Request {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly peerAddress: Option.Option<string>
}

/** Matches the headers that proxies add to a request of someone else. */
const FORWARDING =
  /^(?:forwarded|via|cdn-loop)$|^x-(?:forwarded|real|client|cluster|original|envoy)-|(?:client|connecting)-?ip$/

/** Matches the names and addresses of this machine, as a URL spells them. */
const LOOPBACK_NAME = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

/** Returns true for an origin or a URL of this machine. */
const isLoopbackUrl = (url: string): boolean => LOOPBACK_NAME.test(URL.parse(url)?.hostname ?? "")

/** Returns true for a request that its sender made: no proxy forwarded it, and no page of another machine caused it. */
const isDirect = ({ headers }: Request) =>
  !Object.keys(headers).some((name) => FORWARDING.test(name)) &&
  (headers["origin"] === undefined || isLoopbackUrl(headers["origin"]))

/**
 * Returns true for a program of this machine that addresses it as such. The name keeps out pages that lead their own
 * name to this machine. A proxy on this machine forwards for others, so its requests are not local.
 */
export const isLocalCaller = (request: Request): boolean => {
  const peer = peerOf(request)
  const host = request.headers["host"] ?? ""
  return (
    peer !== undefined &&
    NetAddress.isLoopback(peer) &&
    /^[^/?#@\\]+$/.test(host) &&
    isLoopbackUrl(`http://${host}`) &&
    isDirect(request)
  )
}

/** Returns true for a caller of this machine or of a private network, to whom no proxy forwarded the request. */
export const isPrivateCaller = (request: Request): boolean => {
  const peer = peerOf(request)
  if (peer === undefined || !isDirect(request)) return false
  const isInternal = NetAddress.isIpv4Address(peer)
    ? NetAddress.isPrivate(peer)
    : NetAddress.isUniqueLocal(peer)
  return isInternal || NetAddress.isLoopback(peer) || NetAddress.isLinkLocal(peer)
}

/**
 * Makes the check of a caller who may do what only programs of this machine or network may. A proxy can connect from
 * this machine, name it, and send no header of its own. So where a proxy may forward requests, the caller sends
 * `X-Local-Token`; elsewhere, `isNear` decides.
 */
export const makeLocalCheck = (isNear: (request: Request) => boolean) =>
  Effect.map(Settings, ({ localToken }) => {
    const isToken = makeTokenCheck(localToken)
    return (request: Request): boolean =>
      localToken === undefined ? isNear(request) : isToken(request.headers["x-local-token"])
  })
