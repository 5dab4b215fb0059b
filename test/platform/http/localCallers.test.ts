import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { isLocalCaller, isPrivateCaller } from "../../../src/platform/http/localCallers.ts"

const request = (from: string | undefined, headers: Readonly<Record<string, string>> = {}) => ({
  peerAddress: Option.fromUndefinedOr(from),
  headers
})

const here = (headers: Readonly<Record<string, string>> = {}) =>
  request("127.0.0.1", { host: "localhost:4020", ...headers })

/** Headers by which a proxy, a content delivery network or a tunnel says that it forwards a request. */
const FORWARDED = {
  forwarded: "for=127.0.0.1",
  "x-forwarded-for": "127.0.0.1",
  "x-forwarded-host": "localhost",
  "x-forwarded-proto": "https",
  "x-real-ip": "127.0.0.1",
  "x-client-ip": "127.0.0.1",
  "x-cluster-client-ip": "127.0.0.1",
  "x-original-forwarded-for": "127.0.0.1",
  "x-envoy-external-address": "127.0.0.1",
  "true-client-ip": "127.0.0.1",
  "cf-connecting-ip": "127.0.0.1",
  "fastly-client-ip": "127.0.0.1",
  "fly-client-ip": "127.0.0.1",
  "x-azure-clientip": "127.0.0.1",
  "cdn-loop": "cdn",
  via: "1.1 proxy"
}

describe("callers", () => {
  it("A program of this machine that addresses it as such is local", () => {
    for (const host of [
      "localhost",
      "LOCALHOST:80",
      "127.0.0.1:4020",
      "127.9.9.9",
      "[::1]:4020",
      "a.localhost"
    ])
      for (const from of ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1", "::1%lo"])
        assert.isTrue(isLocalCaller(request(from, { host })), `${from} ${host}`)
    assert.isTrue(isLocalCaller(here({ origin: "http://localhost:4020", "x-request-id": "mine" })))
  })

  it("A caller from elsewhere, or one that names another host, is not local", () => {
    for (const from of [undefined, "", "10.0.0.1", "192.0.2.1", "::2", "::ffff:10.0.0.1", "localhost"])
      assert.isFalse(isLocalCaller(request(from, { host: "localhost" })), from)
    for (const host of [
      "",
      "press.example",
      "localhost.example",
      "localhost@press.example",
      "press.example@localhost",
      "press.example#@localhost",
      "press.example/@localhost",
      "press.example\\@localhost",
      "localhost:x",
      "128.0.0.1",
      "[::2]",
      "10.0.0.1",
      "0.0.0.0:4020"
    ])
      assert.isFalse(isLocalCaller(request("127.0.0.1", { host })), host)
    assert.isFalse(isLocalCaller(request("127.0.0.1")))
  })

  it("Only addresses of this machine and of private networks are private", () => {
    for (const from of [
      "127.0.0.1",
      "10.1.2.3",
      "172.16.0.1",
      "172.31.255.255",
      "192.168.0.1",
      "169.254.1.1",
      "::1",
      "fd00::1",
      "fe80::1%eth0",
      "::ffff:10.0.0.1"
    ])
      assert.isTrue(isPrivateCaller(request(from, { host: "press.example" })), from)
    for (const from of [undefined, "172.32.0.1", "100.64.0.1", "192.0.2.1", "2001:db8::1", "::ffff:8.8.8.8"])
      assert.isFalse(isPrivateCaller(request(from)), from)
  })

  it("A request that was forwarded, or that a page of another site caused, is neither", () => {
    for (const [name, value] of Object.entries(FORWARDED)) {
      assert.isFalse(isLocalCaller(here({ [name]: value })), name)
      assert.isFalse(isPrivateCaller(here({ [name]: value })), name)
    }
    for (const origin of ["https://evil.example", "null", "http://10.0.0.1", ""]) {
      assert.isFalse(isLocalCaller(here({ origin })), origin)
      assert.isFalse(isPrivateCaller(here({ origin })), origin)
    }
  })
})
