import { Redacted, Result } from "effect"

/** One of the servers that a URL names. */
export interface Host {
  /** A name, an address, or the directory of a socket. */
  readonly name: string
  readonly port: number
  /** The URL of this host alone. */
  readonly url: Redacted.Redacted
}

/** The servers that a URL names, in its order. */
export interface Hosts {
  readonly all: readonly [Host, ...ReadonlyArray<Host>]
  /** True when only a host that takes writes may be used: there are several, or `target_session_attrs` says so. */
  readonly isChosen: boolean
}

/** Parts of a URL: scheme, login, hosts, path and query. libpq has several hosts where `URL` knows one. */
const PARTS = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/u

/** A host with or without a port. An IPv6 address has brackets. */
const HOST = /^(\[[\da-f:.]+\]|[^:,[\]\s]*)(?::(\d{1,5}))?$/iu

/** Values of `target_session_attrs` that ask for a server that takes writes. */
const WRITES: ReadonlySet<string> = new Set(["read-write", "primary"])

const DEFAULT_PORT = 5432

const isPort = (text: string) => /^\d{1,5}$/u.test(text) && Number(text) >= 1 && Number(text) <= 65_535

const isDecodable = (text: string) => !/%(?![\da-f]{2})/iu.test(text)

/** The parameters that a URL may have. */
const PARAMETERS: ReadonlySet<string> = new Set([
  "host",
  "port",
  "user",
  "password",
  "dbname",
  "application_name",
  "options",
  "connect_timeout",
  "target_session_attrs",
  "sslmode",
  "sslrootcert"
])

/** Other parameters of libpq, which an operator may copy. A message names no other word of a URL, which may be secret. */
const OTHER_PARAMETERS: ReadonlySet<string> = new Set(
  `channel_binding client_encoding fallback_application_name gssdelegation gssencmode gsslib hostaddr keepalives
  keepalives_count keepalives_idle keepalives_interval krbsrvname load_balance_hosts passfile pgbouncer replication
  require_auth requirepeer requiressl service ssl sslcert sslcertmode sslcompression sslcrl sslcrldir sslkey
  ssl_max_protocol_version ssl_min_protocol_version sslnegotiation sslpassword sslsni tcp_user_timeout`.split(
    /\s+/
  )
)

const MODES: ReadonlySet<string | null> = new Set([null, "disable", "require", "verify-ca", "verify-full"])

/** Returns what is wrong with the parameters of a URL. One that is ignored may be one that protects. */
const parameterMistake = (query: URLSearchParams): string | undefined => {
  const names = [...query.keys()]
  const unknown = names.find((name) => !PARAMETERS.has(name))
  if (unknown !== undefined)
    return OTHER_PARAMETERS.has(unknown)
      ? `the parameter ${unknown} is not supported: remove it`
      : `it has an unknown parameter: use only ${[...PARAMETERS].join(", ")}`
  if (new Set(names).size < names.length) return "a parameter is there twice"
  const mode = query.get("sslmode")
  const rootCertificate = query.get("sslrootcert")
  if (!MODES.has(mode)) return "sslmode is not disable, require, verify-ca or verify-full"
  if (rootCertificate === "system" && mode !== "verify-full")
    return "sslrootcert=system needs sslmode=verify-full"
  if (rootCertificate !== null && mode === null) return "sslrootcert needs sslmode, such as verify-full"
  if (rootCertificate === "" || (rootCertificate === null && mode === "verify-ca"))
    return "sslmode=verify-ca needs sslrootcert, the file of the authority"
  return undefined
}

/**
 * Reads a URL in libpq's form, with one host or several: `postgres://user:password@a:5432,b:5432/database`, or with lists
 * in `host=` and `port=`. Fails with the reason, which repeats nothing of the URL.
 */
export const parseHosts = (text: string): Result.Result<Hosts, string> => {
  const [, scheme, login, authority = "", path = "", search = ""] = PARTS.exec(text) ?? []
  if (scheme === undefined) return Result.fail("it is not such a URL")
  if (!isDecodable(`${login ?? ""}${authority}${path}`))
    return Result.fail("a % is not followed by two hex digits")
  const query = new URLSearchParams(search)
  const named = query.get("host")
  const hosts: Array<string> = []
  const own: Array<string> = []
  for (const part of (named ?? authority).split(",")) {
    const [, host, port = ""] = named === null ? (HOST.exec(part) ?? []) : ["", part]
    if (host === undefined || (host === "" && part !== (named ?? authority)))
      return Result.fail("a host is not a name or an address, with a port as in a:5432,b:5432")
    hosts.push(host)
    own.push(port)
  }
  const listed = query.get("port")?.split(",") ?? own
  if (listed.length > 1 && listed.length !== hosts.length)
    return Result.fail("the numbers of ports and hosts differ")
  const ports = hosts.map((_, at) => (listed.length > 1 ? listed[at] : listed[0]) ?? "")
  if (ports.some((port) => port !== "" && !isPort(port))) return Result.fail("a port is not from 1 to 65535")
  const attributes = query.get("target_session_attrs")
  if (attributes !== null && !WRITES.has(attributes))
    return Result.fail("target_session_attrs is not read-write or primary")
  const problem = parameterMistake(query)
  if (problem !== undefined) return Result.fail(problem)
  query.delete("host")
  query.delete("port")
  query.delete("target_session_attrs")
  const hostOf = (host: string, port: string): Host => {
    const own = new URLSearchParams(query)
    // The directory of a socket stays a parameter.
    if (named !== null) own.set("host", host)
    if (named !== null && port !== "") own.set("port", port)
    const place = named === null ? `${host}${port === "" ? "" : `:${port}`}` : "localhost"
    const rest = own.size === 0 ? "" : `?${own}`
    return {
      name: decodeURIComponent(host.replace(/^\[(.*)\]$/u, "$1")) || "localhost",
      port: port === "" ? DEFAULT_PORT : Number(port),
      url: Redacted.make(`${scheme}${login === undefined ? "" : `${login}@`}${place}${path}${rest}`)
    }
  }
  const [first, ...others] = hosts.map((host, at) => hostOf(host, ports[at] ?? ""))
  if (first === undefined) return Result.fail("it names no host")
  return Result.succeed({ all: [first, ...others], isChosen: hosts.length > 1 || attributes !== null })
}

/** Reads a URL of one host, which need not take writes. Fails with the reason, which repeats nothing of the URL. */
export const parseHost = (text: string): Result.Result<Host, string> =>
  Result.flatMap(parseHosts(text), ({ all, isChosen }) =>
    isChosen
      ? Result.fail("it has several hosts or target_session_attrs: use one host")
      : Result.succeed(all[0])
  )
