import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { Effect } from "effect"
import { NetAddress } from "effect/net"

/** Records of an answer: addresses, and names with a dot at the end that an alias leads to, in their order. */
type Records = ReadonlyArray<string>

/** Names with the records of each question in turn; the last ones stay. */
export type NameZone = Readonly<Record<string, ReadonlyArray<Records>>>

const [TYPE_A, TYPE_CNAME, TYPE_AAAA] = [1, 5, 28]
const HEADER_BYTES = 12
const [IS_ANSWER, IS_TRUNCATED, NO_SUCH_NAME] = [0x81_80, 0x02_00, 3]

interface Question {
  readonly name: string
  readonly type: number
  /** The bytes of the question. */
  readonly bytes: Buffer
}

const questionOf = (query: Buffer): Question => {
  const labels: Array<string> = []
  let at = HEADER_BYTES
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join(".").toLowerCase(),
    type: query.readUInt16BE(at + 1),
    bytes: query.subarray(HEADER_BYTES, at + 5)
  }
}

const nameBytes = (name: string) =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0])
  ])

const recordBytes = (owner: string, type: number, data: Uint8Array) => {
  const rest = Buffer.alloc(10)
  rest.writeUInt16BE(type, 0)
  // Class IN, and a life of no seconds.
  rest.writeUInt16BE(1, 2)
  rest.writeUInt16BE(data.length, 8)
  return Buffer.concat([nameBytes(owner), rest, data])
}

const addressOf = (text: string) => {
  const address = NetAddress.ipFromStringUnsafe(text)
  return NetAddress.isIpv4Address(address)
    ? ([TYPE_A, Uint8Array.from(NetAddress.ipv4ToOctets(address))] as const)
    : ([TYPE_AAAA, Uint8Array.from(NetAddress.ipv6ToOctets(address))] as const)
}

/** Returns the records of an answer of a type. Those behind an alias belong to the name that it leads to. */
const answersOf = ({ name, type }: Question, records: Records) => {
  let owner = name
  return records.flatMap((record) => {
    if (record.endsWith(".")) {
      const alias = recordBytes(owner, TYPE_CNAME, nameBytes(record.slice(0, -1)))
      owner = record.slice(0, -1)
      return [alias]
    }
    const [recordType, data] = addressOf(record)
    return recordType === type ? [recordBytes(owner, type, data)] : []
  })
}

/**
 * Starts a name server on loopback, over UDP and TCP. It does not answer about names that begin with `silent`. About names that
 * begin with `long`, its answer over UDP has the first record alone and says that it is cut. Returns its address, and counts
 * the questions about the IPv4 addresses of a name.
 */
export const nameServer = Effect.fnUntraced(function* (zone: NameZone) {
  const asked = new Map<string, number>()

  const answer = (query: Buffer, isCut: boolean) => {
    const question = questionOf(query)
    const { bytes, name, type } = question
    const key = `${name} ${type}`
    const turn = asked.get(key) ?? 0
    if (!isCut) asked.set(key, turn + 1)
    const turns = zone[name]
    const records = turns?.[turn] ?? turns?.at(-1) ?? []
    const answers = answersOf(question, isCut ? records.slice(0, 1) : records)
    const header = Buffer.alloc(HEADER_BYTES)
    query.copy(header, 0, 0, 2)
    const flags = IS_ANSWER | (isCut ? IS_TRUNCATED : 0) | (turns === undefined ? NO_SUCH_NAME : 0)
    header.writeUInt16BE(flags, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(answers.length, 6)
    return Buffer.concat([header, bytes, ...answers])
  }

  const sockets = new Set<Socket>()
  const overTcp = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined))
    let received = Buffer.alloc(0)
    // One segment may hold several questions, each after its length.
    socket.on("data", (bytes) => {
      received = Buffer.concat([received, bytes])
      for (;;) {
        const end = received.length < 2 ? Infinity : 2 + received.readUInt16BE()
        if (received.length < end) return
        const text = answer(received.subarray(2, end), false)
        received = received.subarray(end)
        const length = Buffer.alloc(2)
        length.writeUInt16BE(text.length)
        socket.write(Buffer.concat([length, text]))
      }
    })
  })
  const overUdp = createSocket("udp4", (query, { address, port }) => {
    const { name } = questionOf(query)
    if (!name.startsWith("silent")) overUdp.send(answer(query, name.startsWith("long")), port, address)
  })
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      overUdp.close()
      overTcp.close()
      for (const socket of sockets) socket.destroy()
    })
  )
  overTcp.listen(0, "127.0.0.1")
  yield* Effect.promise(() => once(overTcp, "listening"))
  const listening = overTcp.address()
  const port = typeof listening === "object" && listening !== null ? listening.port : 0
  overUdp.bind(port, "127.0.0.1")
  yield* Effect.promise(() => once(overUdp, "listening"))
  return { address: `127.0.0.1:${port}`, askedOf: (name: string) => asked.get(`${name} ${TYPE_A}`) ?? 0 }
})
