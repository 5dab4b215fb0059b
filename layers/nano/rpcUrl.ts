import { type Array, Config, Option, Redacted, Result, Schema } from "effect"

/** A server that answers JSON actions as a Nano node does. */
export interface RpcServer {
  /** Host and port, which is all that logs and metrics show of it. */
  readonly name: string
  /** Address without user and password. Its path or query may hold a key. */
  readonly url: Redacted.Redacted
  /** Value of the header `authorization`, made of the user and the password. */
  readonly authorization: Option.Option<Redacted.Redacted>
}

/** Servers in the order in which they are asked. */
export type RpcServers = Array.NonEmptyReadonlyArray<RpcServer>

const SCHEMES = { http: /^https?:$/u, ws: /^wss?:$/u } as const

/** Maximum number of servers. A call may ask them one after the other. */
const SERVERS_MAX = 10

const decoded = Option.liftThrowable((url: URL) =>
  url.username === "" && url.password === ""
    ? Option.none()
    : Option.some(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`)
)

const serverOf = (text: string, schemes: RegExp): Result.Result<RpcServer, string> => {
  const url = URL.parse(text)
  if (url === null || !schemes.test(url.protocol) || url.hostname === "")
    return Result.fail("one is not such a URL")
  if (url.hash !== "") return Result.fail("one has a fragment")
  const login = decoded(url)
  if (Option.isNone(login)) return Result.fail("the user or password of one is not percent-encoded")
  url.username = ""
  url.password = ""
  return Result.succeed({
    name: url.host,
    url: Redacted.make(url.href),
    authorization: Option.map(login.value, (text) =>
      Redacted.make(`Basic ${Buffer.from(text).toString("base64")}`)
    )
  })
}

/** Tells servers of one host and port apart. */
const distinct = (servers: ReadonlyArray<RpcServer>) =>
  servers.map((server, index) => {
    const before = servers.slice(0, index).filter(({ name }) => name === server.name).length
    return before === 0 ? server : { ...server, name: `${server.name}#${before + 1}` }
  })

/**
 * Reads URLs separated by commas, such as `https://user:password@host/path?key=…`, with user and password
 * percent-encoded. Fails with a problem that repeats nothing of them. Each server may appear only once, because two of
 * its answers are not the word of two servers.
 */
export const parseRpcUrls = (
  text: Redacted.Redacted,
  kind: keyof typeof SCHEMES
): Result.Result<RpcServers, string> =>
  Result.gen(function* () {
    const parts = Redacted.value(text).split(",")
    const servers: Array<RpcServer> = []
    for (const part of parts) servers.push(yield* serverOf(part.trim(), SCHEMES[kind]))
    if (new Set(servers.map(({ url }) => Redacted.value(url))).size < servers.length) {
      return yield* Result.fail("one is there twice")
    }
    const [first, ...others] = distinct(servers)
    if (first === undefined || servers.length > SERVERS_MAX) {
      return yield* Result.fail(`there are more than ${SERVERS_MAX}`)
    }
    return [first, ...others] as const
  })

const rpcUrls = (name: string, kind: keyof typeof SCHEMES): Config.Config<Option.Option<RpcServers>> => {
  const expected = `${kind}:// or ${kind}s:// URLs separated by commas`
  const Urls = Schema.RedactedFromValue(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) => {
          const servers = parseRpcUrls(Redacted.make(text), kind)
          return Result.isSuccess(servers) || `Expected ${expected}, but ${servers.failure}`
        },
        { expected }
      )
    )
  )
  return Config.option(Config.schema(Urls, name)).pipe(
    Config.map(Option.flatMap((text) => Result.getSuccess(parseRpcUrls(text, kind))))
  )
}

/** The nodes of the ledger, their websockets, and the servers that make work; none by default. */
export const nanoUrls = {
  rpc: rpcUrls("NANO_RPC_URL", "http"),
  ws: rpcUrls("NANO_WS_URL", "ws"),
  work: rpcUrls("NANO_WORK_URL", "http")
} as const
