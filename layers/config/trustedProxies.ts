import { Config, Result, Schema } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

const networkOf = (text: string) =>
  text.includes("/")
    ? IpNetwork.fromString(text)
    : Result.flatMap(NetAddress.ipFromString(text), (address) =>
        IpNetwork.fromAddress(address, NetAddress.width(address))
      )

/** Reads a list of networks and addresses. Undefined when an item is neither. */
const networksOf = (text: string): ReadonlyArray<IpNetwork.IpNetwork> | undefined => {
  const networks = Result.all(text.split(",").map((item) => networkOf(item.trim())))
  return Result.isSuccess(networks) ? networks.success : undefined
}

const Networks = Schema.String.check(
  Schema.makeFilter((text: string) => networksOf(text) !== undefined, {
    expected: "networks and addresses separated by commas, such as 10.0.0.0/8,::1"
  })
)

/** The setting of the proxies whose headers name the client; none by default. */
export const trustedProxies = Config.schema(Networks, "TRUSTED_PROXIES").pipe(
  Config.map((text) => networksOf(text) ?? []),
  Config.withDefault<ReadonlyArray<IpNetwork.IpNetwork>>([])
)
