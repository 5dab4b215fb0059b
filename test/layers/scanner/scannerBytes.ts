import { deflateSync, crc32 } from "node:zlib"

/** The test string of EICAR, in two pieces so that scanners do not flag this file. */
export const eicar = Buffer.from(
  ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-", "STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("")
)

/** Bytes that only the signatures of `.ci/clamd.sh` match. */
export const marker = Buffer.from(["pennypress", "harmless", "marker"].join(" "))

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A grey picture of 64 by 64, with `text` in a chunk of its own before the pixels. */
export const png = (text: Uint8Array = Buffer.alloc(0)) =>
  Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", Buffer.from("00000040000000400800000000", "hex")),
    chunk("tEXt", Buffer.concat([Buffer.from("Comment\0"), text])),
    chunk("IDAT", deflateSync(Buffer.alloc(64 * 65))),
    chunk("IEND", Buffer.alloc(0))
  ])

/** A ZIP with one file that claims to be encrypted. */
export const encryptedZip = () => {
  const content = Buffer.alloc(64, 0x5a)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0) // version needed
  common.writeUInt16LE(1, 2) // flags: encrypted
  common.writeUInt32LE(0x1234_5678, 10) // CRC
  common.writeUInt32LE(content.length, 14)
  common.writeUInt32LE(content.length - 12, 18)
  common.writeUInt16LE(5, 22)
  const name = Buffer.from("a.txt")
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, name, content])
  const central = Buffer.concat([Buffer.from("PK\x01\x02\x14\0", "latin1"), common, Buffer.alloc(14), name])
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(local.length, 12)
  return Buffer.concat([local, central, Buffer.from("PK\x05\x06"), end])
}
