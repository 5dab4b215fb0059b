import { Option, Redacted, Result } from "effect"

/** The parts of an S3 URL. */
export interface S3Bucket {
  /** Address of the store, as in `https://host`, without a trailing slash. */
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Precedes every key: empty, or ends in a slash. */
  readonly prefix: string
  readonly accessKeyId: Redacted.Redacted
  readonly secretAccessKey: Redacted.Redacted
}

const OPTIONS = new Set(["region", "endpoint", "prefix"])

/** Names by the rules of AWS, the narrowest ones. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u
const REGION = /^[a-z0-9][a-z0-9-]{0,62}$/u
/** Segments that need no encoding. With a key of 512 bytes they stay below the limit of S3, 1024 bytes. */
const PREFIX = /^(?=.{1,256}$)[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*\/?$/u
/** The access key stands in a header between slashes and commas. */
const ACCESS_KEY = /^[!-+.0-~-]{1,128}$/u
const SECRET = /^[!-~]{1,256}$/u

/** Reads an endpoint without credentials, query and fragment. */
const endpointOf = (text: string): Option.Option<string> => {
  const url = URL.parse(text)
  const isPlain =
    url !== null &&
    /^https?:$/u.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === "" &&
    !/[?#@]/u.test(text)
  return isPlain ? Option.some(`${url.origin}${url.pathname}`.replace(/\/+$/u, "")) : Option.none()
}

const decoded = Option.liftThrowable((url: URL) => ({
  accessKeyId: decodeURIComponent(url.username),
  secretAccessKey: decodeURIComponent(url.password)
}))

/**
 * Reads `s3://key:secret@host/bucket`, with key and secret percent-encoded. Requests go to `https://host/bucket`.
 * `?endpoint=http://10.0.0.7:9000` replaces the address of the store, and is the only way to go without TLS. `region`
 * is `us-east-1` by default, and `prefix` is a folder of the bucket for all keys. Fails with a problem that repeats
 * nothing of the URL.
 */
export const parseS3Url = (text: Redacted.Redacted): Result.Result<S3Bucket, string> => {
  const url = URL.parse(Redacted.value(text))
  if (url === null) return Result.fail("it is not a URL (in the key and the secret a / is written %2F)")
  if (url.protocol !== "s3:") return Result.fail("its scheme is not s3")
  if (url.hash !== "") return Result.fail("it has a fragment")
  const endpoint = endpointOf(url.searchParams.get("endpoint") ?? `https://${url.host}`)
  if (url.hostname === "" || Option.isNone(endpoint)) {
    return Result.fail("its host or its endpoint is none that http or https can reach")
  }
  const bucket = url.pathname.slice(1).replace(/\/$/u, "")
  if (!BUCKET.test(bucket)) return Result.fail("its path is not the name of a bucket")
  const names = [...url.searchParams.keys()]
  if (names.some((name) => !OPTIONS.has(name)) || new Set(names).size < names.length) {
    return Result.fail("it has an option that is unknown or is there twice")
  }
  const region = url.searchParams.get("region") ?? "us-east-1"
  if (!REGION.test(region)) return Result.fail("its region is not the name of one")
  const prefix = url.searchParams.get("prefix") ?? ""
  if (prefix !== "" && !PREFIX.test(prefix)) return Result.fail("its prefix is not the name of a folder")
  const credentials = decoded(url)
  if (Option.isNone(credentials)) return Result.fail("its key or secret is not percent-encoded")
  const { accessKeyId, secretAccessKey } = credentials.value
  if (!ACCESS_KEY.test(accessKeyId) || !SECRET.test(secretAccessKey)) {
    return Result.fail("it has no key and secret of visible characters")
  }
  return Result.succeed({
    endpoint: endpoint.value,
    region,
    bucket,
    prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`,
    accessKeyId: Redacted.make(accessKeyId),
    secretAccessKey: Redacted.make(secretAccessKey)
  })
}
