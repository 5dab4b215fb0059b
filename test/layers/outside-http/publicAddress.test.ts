import { assert, describe, it } from "@effect/vitest"
import { NetAddress } from "effect/net"
import { isPublicAddress } from "../../../layers/outside-http/publicAddress.ts"
import { targetOf, WEB_PORTS } from "../../../layers/outside-http/target.ts"

/** The first and the last address of each network that is not public, and the neighbours that are. */
const NOT_PUBLIC = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1
  127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0
  172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.1 192.88.99.1 192.168.0.0 192.168.255.255
  198.18.0.0 198.19.255.255 198.51.100.7 203.0.113.7 224.0.0.1 239.255.255.255 240.0.0.1
  255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::808:808 100::1 1fff::1 2001::1
  2001:1ff::1 2001:db8::1 2002:7f00:1:: 3fff::1 3fff:fff::1 4000::1 fc00::1 fdff::1 fe80::1
  fec0::1 ff02::1
`
  .trim()
  .split(/\s+/)
const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  168.63.129.15 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255
  192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 2000::1 2001:200::1 2001:4860:4860::8888
  2003::1 2a00::1 3ffe::1
`
  .trim()
  .split(/\s+/)

/** Spellings of `127.0.0.1`, of other private addresses, and of names of this machine or of a local network. */
const LOCAL_SPELLINGS = `
  127.0.0.1 127.1 0x7f.1 0x7f000001 2130706433 017700000001 0177.0.0.1 127.0.0.1. ①②⑦.0.0.1
  127。0。0。1 %31%32%37.0.0.1 0 0.0.0.0 10.1 [::1] [::] [0:0::1] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [64:ff9b::7f00:1] [fe80::1] [fc00::1] 169.254.169.254 localhost LOCALHOST localhost. a.localhost
  printer.local db.internal metadata intranet example.org. 8.8.8.8 [2a00::1]
`
  .trim()
  .split(/\s+/)

const NONE = { named: [], loopbackBut: undefined }
const isTarget = (url: string, targets: typeof NONE | Parameters<typeof targetOf>[1] = NONE) =>
  targetOf(url, targets, WEB_PORTS) !== undefined

describe("targets of strangers", () => {
  for (const address of NOT_PUBLIC)
    it(`${address} is not public`, () =>
      assert.isFalse(isPublicAddress(NetAddress.ipFromStringUnsafe(address))))

  for (const address of PUBLIC)
    it(`${address} is public`, () => assert.isTrue(isPublicAddress(NetAddress.ipFromStringUnsafe(address))))

  for (const host of LOCAL_SPELLINGS)
    it(`No request goes to the host ${host}`, () => {
      for (const url of [`http://${host}/`, `https://${host}/a?b`]) assert.isFalse(isTarget(url), url)
    })

  it("Only names on the ports of the web are targets, without a user or a password", () => {
    for (const url of ["http://example.org", "https://a.example.org:443/x?y#z", "http://example.org:80"])
      assert.isTrue(isTarget(url), url)
    for (const url of [
      "",
      "/a.png",
      "//example.org/a.png",
      "ftp://example.org/",
      "file:///etc/passwd",
      "data:,a",
      "javascript:alert(1)",
      "https://user@example.org/",
      "https://:secret@example.org/",
      "https://example.org:22/",
      "https://example.org:8443/",
      "http://exa mple.org/"
    ])
      assert.isFalse(isTarget(url), url)
  })

  it("The operator allows exact hosts with a port, and the ports of this machine but the service's own", () => {
    const named = { named: ["minio:9000", "10.0.0.5:80", "[fd00::1]:443"], loopbackBut: undefined }
    for (const url of ["http://minio:9000/a.png", "http://10.0.0.5/", "https://[fd00::1]/"])
      assert.isTrue(targetOf(url, named, WEB_PORTS)?.isPrivate, url)
    for (const url of ["http://minio/", "http://minio:9001/", "http://10.0.0.6/", "http://localhost:9000/"])
      assert.isFalse(isTarget(url, named), url)
    const loopback = { named: [], loopbackBut: 4020 }
    for (const url of ["http://localhost:8080/", "http://127.1:9/", "https://[::1]/"])
      assert.isTrue(targetOf(url, loopback, WEB_PORTS)?.isPrivate, url)
    for (const url of [
      "http://localhost:4020/",
      "http://127.0.0.1:4020/",
      "http://127.0.0.2:80/",
      "http://a.localhost/"
    ])
      assert.isFalse(isTarget(url, loopback), url)
  })
})
