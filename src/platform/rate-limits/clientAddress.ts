import { Option, Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"
import { remembered } from "../work/remembered.ts"
import { forwardedFor } from "./forwarded.ts"

interface Request {
  readonly peerAddress: Option.Option<string>
  readonly headers: Readonly<Record<string, string | undefined>>
}
type Networks = ReadonlyArray<IpNetwork.IpNetwork>

/** Prefix length of the smallest network that a provider gives one customer. */
const IPV6_PREFIX = 64

/** Name under which a limit counts all requests without an address, as one client. */
const UNKNOWN = "unknown"

/** Number of addresses whose parsed form is remembered. */
const ADDRESSES_MAX = 10_000

/** Reads an address as proxies write it: alone, in brackets, or with a port. IPv4 in IPv6 becomes IPv4. */
const readAddress = (text: string): NetAddress.IpAddress | undefined => {
  const bare = NetAddress.ipFromString(/^\[.*\]$/.test(text) ? text.slice(1, -1) : text)
  const address = Result.isSuccess(bare)
    ? bare
    : Result.map(NetAddress.inetAddressFromString(text), (it) => it.address)
  return Result.isSuccess(address) ? NetAddress.toCanonical(address.success) : undefined
}

const rememberedAddress = remembered(readAddress, ADDRESSES_MAX)

const addressOf = (text: string | undefined): NetAddress.IpAddress | undefined =>
  text === undefined ? undefined : rememberedAddress(text)

/** Returns the address of the connection of a request. */
export const peerOf = ({ peerAddress }: Pick<Request, "peerAddress">): NetAddress.IpAddress | undefined =>
  addressOf(Option.getOrUndefined(peerAddress)?.replace(/%.*$/, ""))

/** Returns the addresses that a chain of proxies forwards for, the nearest last. */
const chainOf = ({ headers }: Request): ReadonlyArray<string | undefined> => {
  const { forwarded, "x-forwarded-for": list } = headers
  if (forwarded !== undefined) return forwardedFor(forwarded) ?? []
  return list?.split(",").map((it) => it.trim()) ?? []
}

/**
 * Returns the address of a request's sender: that of its connection, unless a trusted proxy made the connection. The
 * chain of proxies is then followed from the nearest, through each trusted one, to the first untrusted address.
 * `Forwarded` (RFC 7239) takes precedence over `X-Forwarded-For`. A text that is not an address ends the walk, and the
 * last proxy stands for its client.
 */
export const clientAddress = (request: Request, trusted: Networks): NetAddress.IpAddress | undefined => {
  const isTrusted = (address: NetAddress.IpAddress) => isIn(trusted, address)
  const peer = peerOf(request)
  if (peer === undefined || !isTrusted(peer)) return peer
  const chain = chainOf(request)
  for (let index = chain.length - 1; index >= 0; index--) {
    const address = addressOf(chain[index])
    if (address === undefined) return peer
    if (index === 0 || !isTrusted(address)) return address
  }
  return peer
}

const isIn = (networks: Networks, address: NetAddress.IpAddress) =>
  networks.some((network) => IpNetwork.contains(network, address))

const keyOf = (address: NetAddress.IpAddress) =>
  NetAddress.isIpv4Address(address)
    ? NetAddress.formatIp(address)
    : IpNetwork.format(IpNetwork.fromAddressUnsafe(address, IPV6_PREFIX))

/** Returns the client that a limit by address counts: an IPv4 address, or the /64 of an IPv6 address. */
export const clientOf = (request: Request, trusted: Networks): string => {
  const address = clientAddress(request, trusted)
  return address === undefined ? UNKNOWN : keyOf(address)
}

/** Returns the client of a connection as limits name it, or undefined for a trusted proxy, which connects for many. */
export const connectionOf = (remoteAddress: string | undefined, trusted: Networks): string | undefined => {
  const address = addressOf(remoteAddress?.replace(/%.*$/, ""))
  return address === undefined || isIn(trusted, address) ? undefined : keyOf(address)
}
