import { isIPv6 } from "node:net"
import { Config, Option, Schema } from "effect"

/** The address of clamd: a socket in the file system, or a port of a host. */
export type ClamdAddress = { readonly path: string } | { readonly host: string; readonly port: number }

/** Maximum bytes of the path of a Unix socket on Linux. */
const SOCKET_PATH_BYTES_MAX = 107

const HOST = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/iu

const UNIX = /^unix:(\/[^/\0][^\0]*)$/u

const TCP = /^tcp:\/\/(?:\[([^\]]+)\]|([^:[\]/]+)):(\d{1,5})$/u

/** Reads `unix:/path` or `tcp://host:port`, with an IPv6 host in brackets. Undefined for any other text. */
export const parseClamdUrl = (text: string): ClamdAddress | undefined => {
  const [, path] = UNIX.exec(text) ?? []
  if (path !== undefined) return Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX ? { path } : undefined
  const [, literal, name = "", digits] = TCP.exec(text) ?? []
  const port = Number(digits)
  const host = literal ?? name
  const isHost = literal === undefined ? HOST.test(name) : isIPv6(literal)
  return isHost && port >= 1 && port <= 65_535 ? { host, port } : undefined
}

const ClamdUrl = Schema.String.check(
  Schema.makeFilter((text: string) => parseClamdUrl(text) !== undefined, {
    expected: "unix:/path/of/the/socket or tcp://host:port, with an IPv6 host in brackets"
  })
)

/** The setting of the malware scanner; none by default. */
export const clamdUrl: Config.Config<Option.Option<ClamdAddress>> = Config.option(
  Config.schema(ClamdUrl, "CLAMD_URL")
).pipe(Config.map(Option.flatMap((text) => Option.fromUndefinedOr(parseClamdUrl(text)))))
