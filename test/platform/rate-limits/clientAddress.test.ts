import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { Headers } from "effect/http"
import { IpNetwork, NetAddress } from "effect/net"
import * as fc from "fast-check"
import { clientAddress, clientOf } from "../../../src/platform/rate-limits/clientAddress.ts"
import { forwardedFor } from "../../../src/platform/rate-limits/forwarded.ts"

const trusted = ["10.0.0.0/8", "2001:db8:1::/48", "::1/128"].map(IpNetwork.fromStringUnsafe)

const request = (peer: string | undefined, headers: Record<string, string> = {}) => ({
  peerAddress: Option.fromNullishOr(peer),
  headers: Headers.fromInput(headers)
})

const addressOf = (peer: string | undefined, headers: Record<string, string> = {}) => {
  const address = clientAddress(request(peer, headers), trusted)
  return address === undefined ? undefined : NetAddress.formatIp(address)
}

const PROXY = "10.1.1.1"

describe("Forwarded (RFC 7239)", () => {
  it("A header names the client of each proxy", () => {
    const examples: ReadonlyArray<readonly [string, ReadonlyArray<string | undefined>]> = [
      // Examples of the RFC.
      ['for="_gazonk"', ["_gazonk"]],
      ['For="[2001:db8:cafe::17]:4711"', ["[2001:db8:cafe::17]:4711"]],
      ["for=192.0.2.60;proto=http;by=203.0.113.43", ["192.0.2.60"]],
      ["for=192.0.2.43, for=198.51.100.17", ["192.0.2.43", "198.51.100.17"]],
      ["for=_hidden, for=_SEVKISEK", ["_hidden", "_SEVKISEK"]],
      ['for=192.0.2.43, for="[2001:db8:cafe::17]"', ["192.0.2.43", "[2001:db8:cafe::17]"]],
      [
        'for=192.0.2.43,for="[2001:db8:cafe::17]",for=unknown',
        ["192.0.2.43", "[2001:db8:cafe::17]", "unknown"]
      ],
      [
        "for=192.0.2.43, for=198.51.100.17;by=203.0.113.60;proto=http;host=example.com",
        ["192.0.2.43", "198.51.100.17"]
      ],
      // Delimiters inside quoted strings, escapes, empty elements and spaces.
      ["by=203.0.113.43", [undefined]],
      ['host="a,b;c";for=192.0.2.1', ["192.0.2.1"]],
      ['for="192.0.2.1\\:80"', ["192.0.2.1:80"]],
      ['for="a\\"b\\\\c"', ['a"b\\c']],
      [" ,for=192.0.2.1 ; proto=https , ,\tfor=192.0.2.2,", ["192.0.2.1", "192.0.2.2"]],
      ["", []]
    ]
    for (const [header, expected] of examples) assert.deepStrictEqual(forwardedFor(header), expected, header)
  })

  it("A malformed header is undefined", () => {
    const malformed = [
      "for",
      "for=",
      "for =192.0.2.1",
      "for= 192.0.2.1",
      "for=192.0.2.1:80",
      "for=[2001:db8::1]",
      'for="192.0.2.1',
      'for="192.0.2.1\\"',
      'for=a"b"',
      "for=a for=b",
      "for=192.0.2.1;for=192.0.2.2",
      "for=192.0.2.1;FOR=192.0.2.2",
      "=192.0.2.1",
      "for=a/b",
      'for="\u0001"',
      'for="\\\u0000"',
      "for=é"
    ]
    for (const header of malformed) assert.isUndefined(forwardedFor(header), header)
  })

  it("A header is read back as it was written", () => {
    const text = fc
      .array(
        fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
        { maxLength: 20 }
      )
      .map((characters) => characters.join(""))
    const quoted = (value: string) => `"${value.replaceAll(/["\\]/g, "\\$&")}"`
    fc.assert(
      fc.property(fc.array(fc.option(text, { nil: undefined }), { maxLength: 8 }), (values) => {
        const header = values.map((it) => (it === undefined ? "proto=http" : `by=_me;for=${quoted(it)}`))
        assert.deepStrictEqual(forwardedFor(header.join(", ")), values)
      })
    )
  })

  it("Any text is taken for a header, in little time", () => {
    const noise = fc.array(fc.constantFrom('"', "\\", ",", ";", "=", "for", "a", " ", "é", "\u0000"), {
      maxLength: 60
    })
    fc.assert(fc.property(noise, (parts) => void forwardedFor(parts.join(""))))
    const started = performance.now()
    for (const part of ['for="', '\\"', "for=a,", 'for="\\"', ";", " ", '"a\\'])
      forwardedFor(part.repeat(16_384 / part.length))
    assert.isBelow(performance.now() - started, 1_000)
  })
})

describe("the client's address", () => {
  it("An address is that of the connection", () => {
    assert.strictEqual(addressOf("192.0.2.7"), "192.0.2.7")
    assert.strictEqual(addressOf("::ffff:192.0.2.7"), "192.0.2.7")
    assert.strictEqual(addressOf("fe80::1%eth0"), "fe80::1")
    assert.isUndefined(addressOf(undefined))
    assert.isUndefined(addressOf("/run/pennypress.sock"))
  })

  it("The headers of an untrusted sender are ignored", () => {
    const said = { forwarded: "for=198.51.100.1", "x-forwarded-for": "198.51.100.2" }
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (peer) => {
        const address = NetAddress.toCanonical(NetAddress.ipFromStringUnsafe(peer))
        const isTrusted = trusted.some((network) => IpNetwork.contains(network, address))
        const expected = isTrusted ? "198.51.100.1" : NetAddress.formatIp(address)
        assert.strictEqual(addressOf(peer, said), expected)
      })
    )
    assert.deepStrictEqual(clientAddress(request(PROXY, said), []), NetAddress.ipFromStringUnsafe(PROXY))
  })

  it("An address is the first from the end that is not a trusted proxy", () => {
    const chains: ReadonlyArray<readonly [string, string]> = [
      ["198.51.100.1", "198.51.100.1"],
      ["6.6.6.6, 198.51.100.1", "198.51.100.1"],
      ["6.6.6.6, 198.51.100.1, 10.2.2.2, 2001:db8:1::7", "198.51.100.1"],
      ["10.3.3.3, 10.2.2.2", "10.3.3.3"],
      ["198.51.100.1:4711", "198.51.100.1"],
      ["[2001:db8:2::7]:4711", "2001:db8:2::7"],
      ["[2001:db8:2::7]", "2001:db8:2::7"],
      ["::ffff:198.51.100.1, ::ffff:10.2.2.2", "198.51.100.1"]
    ]
    for (const [chain, expected] of chains) {
      assert.strictEqual(addressOf(PROXY, { "x-forwarded-for": chain }), expected, chain)
      const forwarded = chain.split(", ").map((it) => `for="${it}"`)
      assert.strictEqual(addressOf(PROXY, { forwarded: forwarded.join(", ") }), expected, chain)
      assert.strictEqual(addressOf("::ffff:10.1.1.1", { "x-forwarded-for": chain }), expected, chain)
    }
  })

  it("An address is the proxy's where the chain names no address", () => {
    const hidden = [
      "unknown",
      "_hidden",
      "198.51.100.1, unknown",
      "198.51.100.1, _SEVKISEK, 10.2.2.2",
      "198.51.100.1, ",
      "localhost",
      "999.1.1.1",
      "198.51.100.1:99999",
      "198.51.100.1:_port",
      "[198.51.100.1]:80",
      "0x7f.1",
      "fe80::1%eth0",
      "",
      ",,,",
      "x".repeat(16_000)
    ]
    for (const chain of hidden) {
      assert.strictEqual(addressOf(PROXY, { "x-forwarded-for": chain }), PROXY, chain.slice(0, 40))
      const forwarded = chain.split(", ").map((it) => `for="${it}"`)
      assert.strictEqual(addressOf(PROXY, { forwarded: forwarded.join(", ") }), PROXY, chain.slice(0, 40))
    }
  })

  it("An address comes from Forwarded, not from X-Forwarded-For, when both are there", () => {
    const both = (forwarded: string) => addressOf(PROXY, { forwarded, "x-forwarded-for": "6.6.6.6" })
    assert.strictEqual(both("for=198.51.100.1"), "198.51.100.1")
    assert.strictEqual(both("for=_hidden"), PROXY)
    assert.strictEqual(both("by=_me"), PROXY)
    // An attacker's beginning must not make the proxy's end unreadable and the other header count.
    assert.strictEqual(both('for="_x, for=198.51.100.1'), PROXY)
    assert.strictEqual(both(""), PROXY)
  })

  it("An address counts for a limit as IPv4, as the /64 of IPv6, or as unknown", () => {
    const clients: ReadonlyArray<readonly [string | undefined, string]> = [
      ["192.0.2.7", "192.0.2.7"],
      ["::ffff:192.0.2.7", "192.0.2.7"],
      ["2001:db8:2:3:4:5:6:7", "2001:db8:2:3::/64"],
      ["2001:db8:2:3::", "2001:db8:2:3::/64"],
      ["2001:db8:2:4::1", "2001:db8:2:4::/64"],
      [undefined, "unknown"]
    ]
    for (const [peer, expected] of clients) assert.strictEqual(clientOf(request(peer), []), expected)
    assert.strictEqual(
      clientOf(request("::1", { forwarded: 'for="[2001:db8:9::1]"' }), trusted),
      "2001:db8:9::/64"
    )
  })
})
