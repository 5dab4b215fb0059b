import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { parseHosts } from "../../../layers/config/hosts.ts"

/** The hosts of a URL: name, port and the URL of this host alone. */
const hostsOf = (url: string) =>
  Result.getOrThrow(parseHosts(url)).all.map(({ name, port, url: own }) => [name, port, Redacted.value(own)])

const isChosen = (url: string) => Result.getOrThrow(parseHosts(url)).isChosen

/** URLs that cannot be used, with a word of the reason. */
const REFUSED = [
  ["mysql://h/d", "not such a URL"],
  ["postgres:h/d", "not such a URL"],
  ["postgres://a,,b/d", "host"],
  ["postgres://,a/d", "host"],
  ["postgres://a,/d", "host"],
  ["postgres:///d?host=a,,b", "host"],
  ["postgres://a:x,b/d", "host"],
  ["postgres://a b,c/d", "host"],
  ["postgres://[::1,b/d", "host"],
  ["postgres://a:0,b/d", "port"],
  ["postgres://a:70000/d", "port"],
  ["postgres://a,b/d?port=1,2,3", "port"],
  ["postgres://a,b/d?port=1,x", "port"],
  ["postgres://u:50%@a,b/d", "hex"],
  ["postgres://a,b/d?target_session_attrs=any", "target_session_attrs"],
  ["postgres://a/d?target_session_attrs=prefer-standby", "target_session_attrs"],
  ["postgres://a,b/d?sslmode=prefer", "sslmode"],
  ["postgres://a/d?sslmode=prefer", "disable, require, verify-ca or verify-full"],
  ["postgres://a/d?sslmode=on", "sslmode"],
  ["postgres://a/d?sslmode=require&sslmode=disable", "twice"],
  ["postgres://a/d?sslmode=verify-ca", "sslrootcert"],
  ["postgres://a/d?sslmode=require&sslrootcert=", "sslrootcert"],
  ["postgres://a/d?sslrootcert=/ca.pem", "sslmode"],
  ["postgres://a/d?sslmode=require&sslrootcert=system", "verify-full"],
  ["postgres://a/d?sslmode=require&sslcert=/c.pem", "sslcert"],
  ["postgres://a/d?sslmode=require&channel_binding=require", "channel_binding"],
  ["postgres://a/d?sslmod=require", "unknown parameter"]
] as const

describe("the hosts of a URL", () => {
  it("A URL of one host stays as it is, and its host is not chosen", () => {
    for (const url of [
      "postgres://u:p%40@a:5433/d",
      "postgresql://a/d?sslmode=verify-ca&sslrootcert=ca.pem",
      "postgres://[::1]/d"
    ]) {
      assert.deepStrictEqual(
        hostsOf(url).map(([, , own]) => own),
        [url]
      )
      assert.isFalse(isChosen(url))
    }
    assert.deepStrictEqual(hostsOf("postgres://a/d?target_session_attrs=primary"), [
      ["a", 5432, "postgres://a/d"]
    ])
    assert.isTrue(isChosen("postgres://a/d?target_session_attrs=primary"))
  })

  it("A URL of several hosts has a URL for each, with the login, the database and the rest", () => {
    const url = "postgres://u:p,w@a:5433,[::1]:5434,b/d?target_session_attrs=read-write&sslmode=require"
    assert.deepStrictEqual(hostsOf(url), [
      ["a", 5433, "postgres://u:p,w@a:5433/d?sslmode=require"],
      ["::1", 5434, "postgres://u:p,w@[::1]:5434/d?sslmode=require"],
      ["b", 5432, "postgres://u:p,w@b/d?sslmode=require"]
    ])
    assert.isTrue(isChosen(url))
  })

  it("Hosts and ports may stand in lists of parameters, as libpq reads them", () => {
    assert.deepStrictEqual(hostsOf("postgres://u@/d?host=/run/pg,b&port=1,2"), [
      ["/run/pg", 1, "postgres://u@localhost/d?host=%2Frun%2Fpg&port=1"],
      ["b", 2, "postgres://u@localhost/d?host=b&port=2"]
    ])
    assert.deepStrictEqual(
      hostsOf("postgres://a,b/d?port=7").map(([name, port]) => [name, port]),
      [
        ["a", 7],
        ["b", 7]
      ]
    )
  })

  it("A URL that cannot be used is refused with a reason, which repeats nothing of it", () => {
    for (const [url, word] of REFUSED) {
      const parsed = parseHosts(url)
      if (Result.isSuccess(parsed)) assert.fail(`${url} was taken`)
      assert.include(parsed.failure, word, url)
      assert.notInclude(parsed.failure, "50%")
    }
  })
})
