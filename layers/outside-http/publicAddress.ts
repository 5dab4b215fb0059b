import { IpNetwork, NetAddress } from "effect/net"

const networks = (list: string) => list.split(" ").map(IpNetwork.fromStringUnsafe)

/** IPv4 networks that no server of the public internet has: private, shared, reserved, of one machine or of one cloud. */
const NOT_PUBLIC_IPV4 = networks(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4"
)

/** The IPv6 network of global addresses, and the parts of it that are reserved or lead to IPv4. */
const GLOBAL_IPV6 = networks("2000::/3")
const NOT_PUBLIC_IPV6 = networks("2001::/23 2001:db8::/32 2002::/16 3fff::/20")

const isIn = (list: ReadonlyArray<IpNetwork.IpNetwork>, address: NetAddress.IpAddress) =>
  list.some((network) => IpNetwork.contains(network, address))

/** Returns true for an address of the public internet. Mapped and translated IPv4 addresses are none. */
export const isPublicAddress = (address: NetAddress.IpAddress): boolean =>
  NetAddress.isIpv4Address(address)
    ? !isIn(NOT_PUBLIC_IPV4, address)
    : isIn(GLOBAL_IPV6, address) && !isIn(NOT_PUBLIC_IPV6, address)
