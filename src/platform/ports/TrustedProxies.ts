import { Context } from "effect"
import type { IpNetwork } from "effect/net"

/**
 * The networks whose hosts are believed when they say in `Forwarded` or `X-Forwarded-For` who their client is (setting
 * `TRUSTED_PROXIES`). Nobody is, unless told.
 */
export const TrustedProxies = Context.Reference<ReadonlyArray<IpNetwork.IpNetwork>>(
  "pennypress/platform/ports/TrustedProxies",
  { defaultValue: () => [] }
)
