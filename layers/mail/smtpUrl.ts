import { Option, Redacted, Result } from "effect"

/** Rule for the change of a plain connection to TLS. */
export type StartTls = "required" | "offered" | "never"

/** The parts of an SMTP URL. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte, as in `smtps`. */
  readonly tls: boolean
  readonly startTls: StartTls
  readonly login: Option.Option<{ readonly user: string; readonly password: Redacted.Redacted }>
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/

/** A password never crosses a network in the clear. Loopback stays on this machine. */
const startTlsOf = (asked: string | null, host: string, hasLogin: boolean): StartTls | undefined => {
  if (asked === "required" || asked === "offered" || asked === "never") return asked
  if (asked !== null) return undefined
  if (LOOPBACK.test(host)) return "never"
  return hasLogin ? "required" : "offered"
}

/**
 * Reads `smtp://[user:password@]host[:port]` (587) or `smtps://…` (465), with user and password percent-encoded.
 * `smtp` requires TLS with a password, uses it when offered without one, and never on loopback.
 * `?starttls=required|offered|never` overrides this. Fails with a problem that repeats nothing of the URL.
 */
export const parseSmtpUrl = (text: Redacted.Redacted): Result.Result<SmtpServer, string> => {
  const url = URL.parse(Redacted.value(text))
  if (url === null) return Result.fail("it is not a URL")
  if (url.protocol !== "smtp:" && url.protocol !== "smtps:")
    return Result.fail("its scheme is not smtp or smtps")
  if (url.hostname === "") return Result.fail("it names no host")
  if (!/^\/?$/.test(url.pathname) || url.hash !== "") return Result.fail("it has a path or a fragment")
  if ([...url.searchParams.keys()].some((name) => name !== "starttls"))
    return Result.fail("it has an unknown option")
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
  const tls = url.protocol === "smtps:"
  const startTls = startTlsOf(url.searchParams.get("starttls"), host, url.username !== "")
  if (startTls === undefined) return Result.fail("its starttls is not required, offered or never")
  const decoded = Option.liftThrowable(() => ({
    user: decodeURIComponent(url.username),
    password: Redacted.make(decodeURIComponent(url.password))
  }))()
  if (Option.isNone(decoded)) return Result.fail("its user or password is not percent-encoded")
  const login = url.username === "" ? Option.none() : decoded
  return Result.succeed({ host, port: Number(url.port || (tls ? 465 : 587)), tls, startTls, login })
}
